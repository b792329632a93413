package stack_test

import (
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cost"
)

var update = flag.Bool("update", false, "write the tables of docs/cost.md anew")

const costs = "../../../docs/cost.md"

// The tables of docs/cost.md are those that infra/cost makes of the templates and the list
// of prices.
func TestCostsAreThoseOfTheTemplates(t *testing.T) {
	t.Parallel()
	prices, err := cost.Load()
	require.NoError(t, err)
	dev, instance, prod := deployment(synth(t, "dev-serverless"), "idle"), deployment(synth(t, "dev"), "dev, instance"), deployment(synth(t, "prod-instance"), "prod")
	small, busy := dev.Month(cost.Small()), prod.Month(cost.Busy())
	write := func(b cost.Bill) string {
		table, err := b.Table(prices)
		require.NoError(t, err)
		return table
	}
	summary, err := cost.Summary(prices, dev.Idle(), small, busy, instance.Idle(), prod.Idle(), cost.Million(), cost.People(50))
	require.NoError(t, err)
	tables := map[string]string{
		"prices": prices.Table(), "summary": summary, "million": write(cost.Million()), "people": write(cost.People(50)),
		"idle": write(dev.Idle()), "small": write(small), "busy": write(busy),
	}
	content, err := os.ReadFile(costs)
	require.NoError(t, err)
	seen := 0
	made := marked.ReplaceAllStringFunc(string(content), func(block string) string {
		name := marked.FindStringSubmatch(block)[1]
		require.Contains(t, tables, name)
		seen++
		return "<!-- " + name + " -->\n" + tables[name] + "<!-- end -->"
	})
	require.Equal(t, len(tables), seen)
	if *update {
		require.NoError(t, os.WriteFile(costs, []byte(made), 0o644))
	}
	require.True(t, made == string(content) || *update, "docs/cost.md is out of date: make cost")
}

// marked is a table that is made, with its name.
var marked = regexp.MustCompile(`(?s)<!-- (\w+) -->\n.*?<!-- end -->`)

// The goals: what an idle month and 1 million rows may cost. The former counts what every
// account is given for good; nothing of it is paid by the hour.
func TestCostsAreWithinTheirGoals(t *testing.T) {
	t.Parallel()
	prices, err := cost.Load()
	require.NoError(t, err)
	sleeping := synth(t, "dev-serverless")
	_, paid, err := deployment(sleeping, "idle").Idle().Total(prices)
	require.NoError(t, err)
	require.LessOrEqual(t, paid, 5.0)
	million, _, err := cost.Million().Total(prices)
	require.NoError(t, err)
	require.LessOrEqual(t, million, 0.01)
	for _, kind := range []string{"AWS::EC2::NatGateway", "AWS::EC2::EIP", "AWS::RDS::DBProxy"} {
		require.Empty(t, sleeping.ofType(kind))
	}
	require.Zero(t, endpointAddresses(sleeping))
}

// deployment counts what there is to pay for.
func deployment(w *world, name string) cost.Deployment {
	wake, _ := w.blueprint.Function(blueprint.WakeFunction)
	d := cost.Deployment{
		Name: name, AlarmMetrics: alarmMetrics(w), Dashboards: len(w.ofType("AWS::CloudWatch::Dashboard")),
		Keys: len(w.ofType("AWS::KMS::Key")), Secrets: len(w.ofType("AWS::SecretsManager::Secret")) + 1, // that of RDS
		Mappings: len(w.ofType("AWS::Lambda::EventSourceMapping")), Endpoints: endpointAddresses(w),
		NATGateways: len(w.ofType("AWS::EC2::NatGateway")), Proxies: len(w.ofType("AWS::RDS::DBProxy")), ProxyCPUs: 2, WakeMiB: wake.Memory,
	}
	for _, r := range w.ofType("AWS::RDS::DBCluster") {
		d.Storage, d.StorageGB, d.Rarely = "Aurora storage", 10, 1
		scaling := r.Properties["ServerlessV2ScalingConfiguration"].(map[string]any)
		d.AwakeAfter = float64(number(scaling["SecondsUntilAutoPause"])) / 3600
		return d
	}
	for _, r := range w.ofType("AWS::RDS::DBInstance") {
		d.Instance, d.Storage = "RDS, "+w.text(r.Properties["DBInstanceClass"]), "RDS storage, gp3"
		d.StorageGB = float64(w.settings.Stage.Storage)
		if r.Properties["MultiAZ"] == true {
			d.Instance += ", two zones"
			d.Storage += ", two zones"
		}
	}
	return d
}

// alarmMetrics counts as CloudWatch bills: the metrics that an alarm looks at,
// and not the formula over them.
func alarmMetrics(w *world) int {
	n := 0
	for _, a := range w.ofType("AWS::CloudWatch::Alarm") {
		metrics, composed := a.Properties["Metrics"].([]any)
		if !composed {
			n++
		}
		for _, m := range metrics {
			if m.(map[string]any)["MetricStat"] != nil {
				n++
			}
		}
	}
	return n
}

func endpointAddresses(w *world) int {
	n := 0
	for _, e := range w.ofType("AWS::EC2::VPCEndpoint") {
		subnets, _ := e.Properties["SubnetIds"].([]any)
		n += len(subnets)
	}
	return n
}
