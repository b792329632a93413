package coordination_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// setClock sets the table's clock to the given time after its creation: near the present,
// because the table deletes expired items by its own clock.
func (s *table) setClock(after time.Duration) {
	s.elapsed = after
}

func (s *table) claim(t *testing.T, fingerprint, newID string) (job.Claim, problem.Code) {
	t.Helper()
	claim, err := s.Claim(t.Context(), 1, "key", fingerprint, newID)
	claim.Expires = time.Time{} // has its own test
	return claim, problem.CodeOf(err)
}

// A new request, its repetition and a takeover all return when the key expires,
// to the second: from then on the key counts as new.
func TestClaimReturnsKeyExpiry(t *testing.T) {
	t.Parallel()
	s := setup(t)
	end := s.created.Add(keyLifetime).Truncate(time.Second)
	for _, at := range []time.Duration{0, 2 * time.Minute, end.Sub(s.created)} {
		s.setClock(at)
		claim, err := s.Claim(t.Context(), 1, "key", "print", "a")
		require.NoError(t, err)
		require.True(t, end.Equal(claim.Expires), "%s at %s", claim.Expires, at)
		require.NoError(t, s.CompleteClaim(t.Context(), 1, "key"))
	}
	s.setClock(end.Sub(s.created) + time.Second)
	claim, err := s.Claim(t.Context(), 1, "key", "another print", "b")
	require.NoError(t, err)
	require.Equal(t, "b", claim.ID)
	require.True(t, claim.Expires.After(end))
}

func TestKeyLifetimeExceedsRequestTimeout(t *testing.T) {
	t.Parallel()
	s := coordination.Settings{Table: tableName, KeyLifetime: 10 * time.Minute}
	require.NoError(t, s.Validate())
	s.KeyLifetime--
	require.Error(t, s.Validate())
}

// claimStep is a step in the life of a claim: time, action and outcome.
type claimStep struct {
	at    time.Duration
	do    func(t *testing.T, s *table)
	print string
	want  job.Claim
	code  problem.Code
}

func TestClaimSequences(t *testing.T) {
	t.Parallel()
	done := func(t *testing.T, s *table) { require.NoError(t, s.CompleteClaim(t.Context(), 1, "key")) }
	release := func(t *testing.T, s *table) { require.NoError(t, s.ReleaseClaim(t.Context(), 1, "key")) }
	giveUp := func(t *testing.T, s *table) { require.NoError(t, s.AbandonClaim(t.Context(), 1, "key")) }
	first := job.Claim{ID: "0"}
	again := job.Claim{ID: "0", Done: true}
	for name, steps := range map[string][]claimStep{
		"second claim while in flight":              {{want: first}, {at: time.Second, code: problem.IdempotencyInFlight}},
		"claim after completion returns the result": {{want: first}, {at: time.Second, do: done, want: again}, {at: time.Hour, want: again}},
		"claim by another request":                  {{want: first}, {at: time.Second, print: "other", code: problem.IdempotencyMismatch}, {at: time.Second, do: done, print: "other", code: problem.IdempotencyMismatch}},
		"expired claim is taken over":               {{want: first}, {at: 59 * time.Second, code: problem.IdempotencyInFlight}, {at: 61 * time.Second, want: first}, {at: 62 * time.Second, code: problem.IdempotencyInFlight}},
		"abandoned claim is free":                   {{want: first}, {at: time.Second, do: giveUp, want: first}, {at: 2 * time.Second, code: problem.IdempotencyInFlight}},
		"completed claim cannot be abandoned":       {{want: first}, {at: time.Second, do: done, want: again}, {at: 2 * time.Second, do: giveUp, want: again}},
		"released claim is new":                     {{want: first}, {at: time.Second, do: release, print: "other", want: job.Claim{ID: "1"}}},
		"claim is forgotten after a day":            {{want: first}, {at: time.Second, do: done, want: again}, {at: 24*time.Hour + 2*time.Second, print: "other", want: job.Claim{ID: "2"}}},
		"claim is remembered for a day":             {{want: first}, {at: time.Second, do: done, want: again}, {at: 24*time.Hour - time.Second, want: again}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			for i, step := range steps {
				s.setClock(step.at)
				if step.do != nil {
					step.do(t, s)
				}
				claim, code := s.claim(t, "print"+step.print, fmt.Sprint(i))
				require.Equal(t, step.code, code, "step %d", i)
				require.Equal(t, step.want, claim, "step %d", i)
			}
		})
	}
}

func TestKeysAreScopedToOrganisation(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for organisation := range tenant.ID(2) {
		id := fmt.Sprint(organisation)
		claim, err := s.Claim(t.Context(), organisation, "key", "print "+id, id)
		require.NoError(t, err)
		require.Equal(t, id, claim.ID)
	}
}

// Of many concurrent claims of a key exactly one succeeds: when the key is new, and when
// the request of the previous claim has died.
func TestConcurrentClaimsHaveOneWinner(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, after := range []time.Duration{0, 2 * time.Minute} {
		s.setClock(after)
		var mu sync.Mutex
		codes := map[problem.Code]int{}
		jobs := map[string]bool{}
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				claim, code := s.claim(t, "print", fmt.Sprintf("job %d", i))
				mu.Lock()
				defer mu.Unlock()
				codes[code]++
				if code == "" {
					jobs[claim.ID] = true
				}
			})
		}
		group.Wait()
		require.Equal(t, map[problem.Code]int{"": 1, problem.IdempotencyInFlight: 7}, codes)
		require.Len(t, jobs, 1)
	}
}

func TestNewestTokenWins(t *testing.T) {
	t.Parallel()
	s := setup(t)
	token := func(id job.ID, phase job.Phase) string {
		found, err := s.Token(t.Context(), id, phase)
		require.NoError(t, err)
		return found
	}
	require.Empty(t, token("a", job.PhaseRows))
	for _, put := range []struct {
		id    job.ID
		phase job.Phase
		token string
	}{{"a", job.PhaseRows, "1"}, {"a", job.PhaseCells, "2"}, {"b", job.PhaseRows, "3"}, {"a", job.PhaseRows, "4"}} {
		require.NoError(t, s.SaveToken(t.Context(), put.id, put.phase, put.token))
	}
	require.Equal(t, "4", token("a", job.PhaseRows))
	require.Equal(t, "2", token("a", job.PhaseCells))
	require.Equal(t, "3", token("b", job.PhaseRows))
}
