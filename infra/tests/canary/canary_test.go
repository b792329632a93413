package canary

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newNeedle returns a value that stands nowhere by chance: of small letters only, so
// that nothing that is made of it looks different, and short, so that it stands
// whole in what is cut off.
func newNeedle(kind string) string {
	letters := strings.Map(func(r rune) rune { return 'a' + r%26 }, rand.Text()[:10])
	return "c" + kind + letters
}

func TestNoValueLeaks(t *testing.T) {
	t.Parallel()
	w := start(t, newNeedle("v"), newNeedle("k"))
	w.subscribe(t)
	t.Run("drive", func(t *testing.T) {
		for name, drive := range scenarios() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				drive(t, w)
			})
		}
	})
	w.sendNotifications(t)
	planted := w.plantNeedles(t)
	found := w.search(t)
	w.Stop() // what the queues and tables keep is read from their file, and nobody logs any more
	found = append(found, w.searchFile(t)...)
	found = append(found, w.searchDocument(w.logDocuments(t))...)

	for _, f := range found.needlesIn(w.valueNeedle) {
		t.Errorf("a value of a file stands in %s", f)
	}
	for _, f := range found.needlesIn(w.keyNeedle) {
		if !f.mayHoldKeys() {
			t.Errorf("a dropped file's key stands in %s", f)
		}
	}
	// The same search has found what was put where nothing may be.
	for needle, place := range planted {
		require.Contains(t, found.needlesIn(needle).places(), place)
	}
}
