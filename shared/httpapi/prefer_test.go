package httpapi_test

import (
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// preferring sends the users in a form that asks for a wait.
func (b *bundle) preferring(t *testing.T, prefer string) answer {
	t.Helper()
	body, contentType := form(t, part{"importType", "", "USER"}, part{"file", "users.csv", users})
	return b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType, headers: map[string]string{"Prefer": prefer}})
}

// Somebody else ends the import while the response is held back: the wait is over with it,
// and not with its time.
func TestAResponseWaitsForTheEndOfASmallImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !b.workflow.has() {
			runtime.Gosched()
		}
		b.Exec(t, `UPDATE import_jobs SET status = 'CANCELLED', completed_at = now()`)
	}()
	a := b.preferring(t, `respond-async, wait="20"`)
	<-ended
	require.Equal(t, "CANCELLED", decode[fields](a, http.StatusCreated)["status"])
	require.Equal(t, "wait=20", a.Header().Get("Preference-Applied"))
}

// has reports whether an import has been started.
func (w *workflow) has() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.started) > 0
}

func TestAWaitEndsWithItsTimeOrAQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.preferring(t, "wait=1")
	require.Equal(t, "UPLOADED", decode[fields](a, http.StatusCreated)["status"])
	require.Equal(t, "wait=1", a.Header().Get("Preference-Applied"))
	for _, none := range []string{"", "wait", "wait=soon", "wait=-1", "waiting=5", "respond-async"} {
		a = b.preferring(t, none)
		decode[fields](a, http.StatusCreated)
		require.Empty(t, a.Header().Get("Preference-Applied"), none)
	}
	start := time.Now()
	announced := decode[fields](b.announceUsers(t, map[string]string{"Prefer": "wait=20"}, nil), http.StatusCreated)
	require.Contains(t, announced, "upload", "the address must not be held back: without it nothing arrives")
	require.Less(t, time.Since(start), 10*time.Second)
}
