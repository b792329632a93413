package stack

import "github.com/loadbay/loadbay/infra/blueprint"

// Environment is what a function gets in addition to what Lambda sets.
func (s *Stack) Environment(f blueprint.Function) (map[string]string, error) { return s.environment(f) }
