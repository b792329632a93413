package drop

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/loadbay/loadbay/shared/pgtext"
)

// Senders maps who S3 reports as the sender of an object, an account, service or principal, to the
// names that the tokens of these people contain. None of them may approve an import of the sender's
// files.
type Senders map[string][]string

// Config configures the drop function.
type Config struct {
	Senders Senders `env:"DROP_SENDERS"`
}

// The limits of senders: all contributors of a job have room in its row.
const (
	maxPeople = 100 // of a sender
	maxName   = 2048
)

// UnmarshalText parses a JSON object: {"111122223333": ["alice", "bob"]}.
func (s *Senders) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, (*map[string][]string)(s)); err != nil {
		return errors.New(`it must be a JSON object such as {"111122223333": ["alice", "bob"]}`)
	}
	for sender, people := range *s {
		if len(people) == 0 || len(people) > maxPeople || slices.ContainsFunc(append(people, sender), func(name string) bool { return !validName(name) }) {
			return errors.New("each sender needs 1 to 100 names of at most 2,048 bytes")
		}
	}
	return nil
}

func validName(name string) bool {
	return name != "" && len(name) <= maxName && pgtext.ValidText(name)
}

// people returns the names of a sender: its own and those of its people.
func (s Senders) people(sender string) []string {
	if !validName(sender) {
		return nil
	}
	return append([]string{sender}, s[sender]...)
}
