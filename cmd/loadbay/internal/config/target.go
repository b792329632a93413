package config

import (
	"cmp"
	"errors"
	"fmt"
)

// Target is the installation that a command calls.
type Target struct {
	Context string // its name; "" if flags or the environment provide the address
	URL     string
	Token   string // as saved; "" sends none
}

// Resolve returns the selected installation: from the flags, else from the environment, else
// from the current context. A context named explicitly uses nothing from the environment,
// because the token there may belong to another installation.
func (c *Config) Resolve(context, url, token string) (Target, error) {
	if context == "" {
		url, token = cmp.Or(url, c.environment.URL), cmp.Or(token, c.environment.Token)
		if url != "" {
			return Target{URL: url, Token: token}, nil
		}
	}
	name := cmp.Or(context, c.Current)
	if name == "" {
		return Target{}, errors.New("no installation selected; add one with: loadbay installation add NAME https://…, or set LOADBAY_URL")
	}
	found, ok := c.Contexts[name]
	if !ok {
		return Target{}, fmt.Errorf("no installation %q; run loadbay installation list to see all of them", name)
	}
	t := Target{Context: name, URL: cmp.Or(url, found.URL), Token: token}
	if t.Token != "" {
		return t, nil
	}
	var err error
	t.Token, err = c.Token(name)
	return t, err
}
