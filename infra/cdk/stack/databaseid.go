package stack

import (
	"fmt"
	"strconv"
	"strings"
)

// Engine is the kind of database.
type Engine string

// The supported engines.
const (
	Instance   Engine = "instance"   // one RDS for PostgreSQL instance: cheapest under constant load
	Serverless Engine = "serverless" // Aurora Serverless v2: scales with the load and pauses without any
)

// DatabaseID identifies one of a stage's databases: its kind and, from the second of the kind
// on, its number, as in "instance" and "instance-2". Each has resources of its own, so that two
// can coexist while rows are copied.
type DatabaseID struct {
	Engine Engine
	Number int // starts at 1
}

func (c DatabaseID) String() string {
	if c.Number == 1 {
		return string(c.Engine)
	}
	return fmt.Sprintf("%s-%d", c.Engine, c.Number)
}

func parseDatabaseID(text string) (DatabaseID, error) {
	engine, number, numbered := strings.Cut(text, "-")
	c := DatabaseID{Engine: Engine(engine), Number: 1}
	if c.Engine != Instance && c.Engine != Serverless {
		return c, fmt.Errorf("%q is neither %s nor %s", text, Instance, Serverless)
	}
	if !numbered {
		return c, nil
	}
	var err error
	if c.Number, err = strconv.Atoi(number); err != nil || c.Number < 2 {
		return c, fmt.Errorf("%q does not end in a number of 2 or more", text)
	}
	return c, nil
}
