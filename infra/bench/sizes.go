package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// Sizes are numbers of rows, written as "10000,100000".
type Sizes []int

// UnmarshalText parses the sizes of a setting.
func (s *Sizes) UnmarshalText(text []byte) error {
	*s = nil
	for word := range strings.SplitSeq(string(text), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 2 {
			return fmt.Errorf("%q is not a number of rows", word)
		}
		*s = append(*s, n)
	}
	return nil
}
