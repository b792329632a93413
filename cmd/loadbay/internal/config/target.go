package config

import (
	"cmp"
	"errors"
	"fmt"
)

// Target is the installation that a command talks to.
type Target struct {
	Context string // its name; "" where flags or the environment say the address
	URL     string
	Token   string // as it was kept; "" sends none
}

// Resolve says which installation is meant: by flags, else by the environment, else by
// the current context. A context that is named takes nothing from the environment, whose
// token may be that of another installation.
func (c *Config) Resolve(context, url, token string) (Target, error) {
	if context == "" {
		url, token = cmp.Or(url, c.environment.URL), cmp.Or(token, c.environment.Token)
		if url != "" {
			return Target{URL: url, Token: token}, nil
		}
	}
	name := cmp.Or(context, c.Current)
	if name == "" {
		return Target{}, errors.New("which installation? Add one with: loadbay context add NAME https://…, or set LOADBAY_URL")
	}
	found, ok := c.Contexts[name]
	if !ok {
		return Target{}, fmt.Errorf("there is no context %q; loadbay context list shows those there are", name)
	}
	t := Target{Context: name, URL: cmp.Or(url, found.URL), Token: token}
	if t.Token != "" {
		return t, nil
	}
	var err error
	t.Token, err = c.Token(name)
	return t, err
}
