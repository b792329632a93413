package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/loadbay/loadbay/shared/mapping"
)

// Fingerprint returns a hash that is equal for files with the same headers in the same order,
// ignoring case and white space. It ignores nothing else: files with "Weight (kg)" and
// "Weight (lb)" have different sources. The result is 64 hexadecimal digits, or "" without
// headers.
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

// writeText adds a length-prefixed text, so that no other division into texts has the same hash.
func writeText(sum hash.Hash, text string) { _, _ = fmt.Fprintf(sum, "%d:%s", len(text), text) }

// normalisedHeaders returns headers in the form used for comparison.
func normalisedHeaders(headers []string) []string {
	out := make([]string, len(headers))
	for i, h := range headers {
		out[i] = mapping.ExactKey(h)
	}
	return out
}

// Score returns how well a profile fits a file by their headers: from 0 for none in common to
// 1 for the same ones in any order. It is twice the number of common headers divided by the
// sum of both numbers (the Sørensen–Dice coefficient); a header that occurs twice counts twice.
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
