package mapping

import "slices"

// maxCompared is the usual maximum length of compared texts, in runes.
const maxCompared = 64

// edits returns the number of insertions, deletions, substitutions and transpositions of
// neighbours that turn b into a (optimal string alignment).
func edits(a, b []rune) int {
	var rows [3][maxCompared + 1]int // enough for usual lengths without an allocation
	before, row, next := rows[0][:], rows[1][:], rows[2][:]
	if len(b) > maxCompared {
		before, row, next = make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	}
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// jaroWinkler returns the Jaro-Winkler similarity: 1 for equal texts, 0 for texts
// without a common letter; a common prefix of up to four letters counts extra.
func jaroWinkler(a, b []rune) float64 {
	common, swapped := commonRunes(a, b)
	if common == 0 {
		return 0
	}
	m := float64(common)
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(swapped)/2)/m) / 3
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return jaro + float64(prefix)*0.1*(1-jaro)
}

// commonRunes counts the runes that occur in both texts at similar positions, and those of
// them that are in another order.
func commonRunes(a, b []rune) (common, swapped int) {
	reach := max(len(a), len(b))/2 - 1
	var flags [2][maxCompared]bool
	usedA, usedB := flags[0][:], flags[1][:]
	if max(len(a), len(b)) > maxCompared {
		usedA, usedB = make([]bool, len(a)), make([]bool, len(b))
	}
	for i := range a {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if !usedB[j] && a[i] == b[j] {
				usedA[i], usedB[j] = true, true
				common++
				break
			}
		}
	}
	j := 0
	for i := range a {
		if !usedA[i] {
			continue
		}
		for !usedB[j] {
			j++
		}
		if a[i] != b[j] {
			swapped++
		}
		j++
	}
	return common, swapped
}

// textSimilarity is the mean of the share of runes that need no edit and of
// Jaro-Winkler: the first is sensitive to length, the second tolerates other endings.
func textSimilarity(a, b []rune) float64 {
	longest := max(len(a), len(b))
	switch {
	case longest == 0:
		return 0
	case slices.Equal(a, b):
		return 1
	}
	return (1 - float64(edits(a, b))/float64(longest) + jaroWinkler(a, b)) / 2
}
