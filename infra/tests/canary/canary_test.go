package canary

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newNeedle returns a value that occurs nowhere by chance: in lower-case letters only, so
// that no transformation changes it, and short, so that truncated texts still contain it
// completely.
func newNeedle(kind string) string {
	letters := strings.Map(func(r rune) rune { return 'a' + r%26 }, rand.Text()[:10])
	return "c" + kind + letters
}

func TestNoValueLeaks(t *testing.T) {
	t.Parallel()
	w := start(t, newNeedle("v"), newNeedle("k"), newNeedle("h"))
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
	w.Stop() // queues and tables are read from their file, and all logging has ended
	found = append(found, w.searchFile(t)...)
	found = append(found, w.searchDocument(w.logDocuments(t))...)

	for _, f := range found.needlesIn(w.valueNeedle) {
		t.Errorf("a cell value of a file appears in %s", f)
	}
	for _, f := range found.needlesIn(w.keyNeedle) {
		if !f.mayHoldKeys() {
			t.Errorf("a dropped file's key appears in %s", f)
		}
	}
	named := found.needlesIn(w.headerNeedle)
	for _, f := range named {
		if !f.mayNameColumns() {
			t.Errorf("the header of an unused column appears in %s", f)
		}
	}
	require.NotEmpty(t, named, "no event names an unused column")
	// The same search must find the planted needles.
	for needle, place := range planted {
		require.Contains(t, found.needlesIn(needle).places(), place)
	}
}
