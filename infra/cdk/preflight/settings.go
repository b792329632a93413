package main

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// settings are the parts of the CDK context on which the requirements depend.
type settings struct {
	stage, cell                         string
	database, instanceType              string
	vpc, boundary, databaseHost, keyARN string
	postgres                            string
	zones                               []string
}

// parseSettings reads "-c", "key=value", … . The CDK app validates the values.
func parseSettings(args []string) (settings, error) {
	values := map[string]string{}
	for i := 0; i < len(args); i += 2 {
		if args[i] != "-c" || i+1 == len(args) || !strings.Contains(args[i+1], "=") {
			return settings{}, fmt.Errorf("CDK_ARGS: %q is not -c key=value", strings.Join(args[i:], " "))
		}
		key, value, _ := strings.Cut(args[i+1], "=")
		values[key] = value
	}
	s := settings{
		stage: values["stage"], cell: values["cell"], database: values["database"], instanceType: values["instanceType"],
		vpc: values["vpcId"], boundary: values["permissionsBoundary"], databaseHost: values["databaseHost"], keyARN: values["kmsKeyArn"],
	}
	if s.postgres = values["postgres"]; s.postgres == "" {
		s.postgres = "16"
	}
	switch s.stage {
	case "":
		s.stage = "dev"
	case "dev", "prod":
	default:
		return settings{}, fmt.Errorf("CDK_ARGS: stage %q is neither dev nor prod", s.stage)
	}
	if values["zones"] != "" {
		s.zones = strings.Split(values["zones"], ",")
	}
	return s, nil
}

// name is the name of the stage with its cell.
func (s settings) name() string { return blueprint.StageName(s.stage, s.cell) }

// prod reports whether functions reserve concurrency, as in the stage's settings of the CDK app.
func (s settings) prod() bool { return s.stage == "prod" }

// databaseClass returns the engine and the class of the database that the stage creates; both are ""
// if it exists.
func (s settings) databaseClass() (engine, class string) {
	kind, _, _ := strings.Cut(s.database, "-")
	switch {
	case s.databaseHost != "":
		return "", ""
	case kind == "serverless", kind == "" && !s.prod():
		return "aurora-postgresql", "db.serverless"
	case s.instanceType != "":
		return "postgres", "db." + s.instanceType
	case s.prod():
		return "postgres", "db.m7g.large"
	default:
		return "postgres", "db.t4g.small"
	}
}
