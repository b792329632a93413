package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fingerprint is the same for files that have the same headers in the same order, in
// whatever case and with whatever white space. Nothing else of a header is passed over:
// "Weight (kg)" and "Weight (lb)" are not of one source. It is 64 hexadecimal digits, or
// "" for no headers at all.
func Fingerprint(headers []string) string {
	if len(headers) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, key := range normalisedHeaders(headers) {
		writeText(sum, key)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// writeText adds a text in such a way that no other division into texts has the same sum.
func writeText(sum hash.Hash, text string) { _, _ = fmt.Fprintf(sum, "%d:%s", len(text), text) }

// normalisedHeaders are headers in the form in which they are compared.
func normalisedHeaders(headers []string) []string {
	fold := cases.Fold()
	out := make([]string, len(headers))
	for i, h := range headers {
		out[i] = norm.NFC.String(fold.String(norm.NFC.String(strings.Join(strings.Fields(h), " "))))
	}
	return out
}

// Score says how well a profile that was made for a file with some headers fits one
// with others: from 0 for none in common to 1 for the same ones in any order. It is
// twice their number in common by the number of both (the Sørensen–Dice coefficient);
// a header that occurs twice counts twice.
func Score(profile, file []string) float64 {
	if len(profile)+len(file) == 0 {
		return 0
	}
	left := make(map[string]int, len(profile))
	for _, key := range normalisedHeaders(profile) {
		left[key]++
	}
	common := 0
	for _, key := range normalisedHeaders(file) {
		if left[key] > 0 {
			left[key]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(profile)+len(file))
}
