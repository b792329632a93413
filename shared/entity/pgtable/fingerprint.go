package pgtable

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Fingerprint returns a hash of everything about the table that matters to imports: Differences
// between two tables are empty if and only if their fingerprints are equal.
//
// A later release of Loadbay may take more into account, so compare the fingerprint of the stored
// Table, not a stored fingerprint.
func (t *Table) Fingerprint() string {
	var lines []string
	for _, f := range t.facts() {
		lines = append(lines, fmt.Sprintf("%q %q\n", f.subject, f.text))
	}
	slices.Sort(lines)
	hash := sha256.New()
	for _, line := range lines {
		hash.Write([]byte(line))
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
