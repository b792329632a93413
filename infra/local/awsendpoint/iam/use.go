package iam

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// The first word of a recorded use.
const (
	wordAllowed = "allowed"
	wordDenied  = "DENIED"
)

// String returns the line that records the use: "allowed process s3:GetObject arn:…".
func (u Use) String() string {
	word := wordDenied
	if u.Allowed {
		word = wordAllowed
	}
	return strings.Join([]string{word, u.Role, string(u.Action), u.Resource}, " ")
}

// ReadUses parses recorded uses.
func ReadUses(from io.Reader) ([]Use, error) {
	var uses []Use
	for lines := bufio.NewScanner(from); lines.Scan(); {
		words := strings.SplitN(lines.Text(), " ", 4)
		if len(words) != 4 || words[0] != wordAllowed && words[0] != wordDenied {
			return nil, fmt.Errorf("record of uses: %q is not valid", lines.Text())
		}
		uses = append(uses, Use{Role: words[1], Action: blueprint.Action(words[2]), Allowed: words[0] == wordAllowed, Resource: words[3]})
	}
	return uses, nil
}
