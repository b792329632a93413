package stack_test

import (
	"flag"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cost"
)

var updateGolden = flag.Bool("update", false, "rewrite the tables of docs/cost.md")

const costDoc = "../../../docs/cost.md"

// The tables in docs/cost.md equal those that infra/cost computes from the templates and the
// price list.
func TestCostTablesMatchTemplates(t *testing.T) {
	t.Parallel()
	prices, err := cost.LoadPrices()
	require.NoError(t, err)
	dev, instance, prod := countDeployment(synthesize(t, "dev-serverless"), "idle"), countDeployment(synthesize(t, "dev"), "dev, instance"), countDeployment(synthesize(t, "prod-instance"), "prod")
	small, busy := dev.Month(cost.SmallWorkload()), prod.Month(cost.BusyWorkload())
	write := func(b cost.Bill) string {
		table, err := b.Table(prices)
		require.NoError(t, err)
		return table
	}
	summary, err := cost.Summary(prices, dev.Idle(), small, busy, instance.Idle(), prod.Idle(), serverlessProd(t).Idle(), cost.MillionRows(), cost.SmallFiles(), cost.SignIns(50))
	require.NoError(t, err)
	goals, err := cost.GoalsTable(prices, cost.Goals(dev, serverlessProd(t)))
	require.NoError(t, err)
	tables := map[string]string{
		"prices": prices.Table(), "summary": summary, "million": write(cost.MillionRows()), "people": write(cost.SignIns(50)),
		"idle": write(dev.Idle()), "goals": goals, "files": write(cost.SmallFiles()), "small": write(small), "busy": write(busy),
	}
	content, err := os.ReadFile(costDoc)
	require.NoError(t, err)
	seen := 0
	made := tablePattern.ReplaceAllStringFunc(string(content), func(block string) string {
		name := tablePattern.FindStringSubmatch(block)[1]
		require.Contains(t, tables, name)
		seen++
		return "<!-- " + name + " -->\n" + tables[name] + "<!-- end -->"
	})
	require.Equal(t, len(tables), seen)
	if *updateGolden {
		require.NoError(t, os.WriteFile(costDoc, []byte(made), 0o644))
	}
	require.True(t, made == string(content) || *updateGolden, "docs/cost.md is out of date: run make cost")
}

// tablePattern matches a generated table and its name.
var tablePattern = regexp.MustCompile(`(?s)<!-- (\w+) -->\n.*?<!-- end -->`)

// unmetGoal is the bill that exceeds its limit: ten transitions of the state machine cost $2.50 alone.
const unmetGoal = "10,000 files of 100 rows"

// The goals limit the cost of idle months and of work. With the permanent free tier, an idle month of
// dev costs less; nothing in it is billed by the hour.
func TestCostsMeetGoals(t *testing.T) {
	t.Parallel()
	prices, err := cost.LoadPrices()
	require.NoError(t, err)
	sleeping := synthesize(t, "dev-serverless")
	dev := countDeployment(sleeping, "idle")
	_, paid, err := dev.Idle().Total(prices)
	require.NoError(t, err)
	require.LessOrEqual(t, paid, 5.0)
	for _, g := range cost.Goals(dev, serverlessProd(t)) {
		met, err := g.Met(prices)
		require.NoError(t, err)
		require.Equal(t, g.Name != unmetGoal, met, g.Name)
	}
	for _, kind := range []string{"AWS::EC2::NatGateway", "AWS::EC2::EIP", "AWS::RDS::DBProxy"} {
		require.Empty(t, sleeping.ofType(kind))
	}
	require.Zero(t, endpointAddresses(sleeping))
}

// chunkPattern matches the duration of a chunk in the generated tables and in the text.
var chunkPattern = regexp.MustCompile(`([\d,]+) chunks × ([\d.]+) s`)

// All pages calculate with the same duration of a chunk.
func TestChunkDurationIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(costDoc)
	require.NoError(t, err)
	durations := chunkPattern.FindAllStringSubmatch(string(content), -1)
	require.GreaterOrEqual(t, len(durations), 4)
	for _, d := range durations {
		seconds, err := strconv.ParseFloat(d[2], 64)
		require.NoError(t, err)
		if d[1] != "10000" { // of 100 rows
			require.InDelta(t, cost.ChunkSeconds, seconds, 0.005, d[0])
		}
	}
	content, err = os.ReadFile("../../../docs/beyond-one-database.md")
	require.NoError(t, err)
	row := regexp.MustCompile(`\| chunks \| 400,000 \| ([\d.]+) a second, ([\d.]+) processors?.* \| (\d+), ([\d.]+) processors \|`).FindStringSubmatch(string(content))
	require.NotNil(t, row)
	for i := 1; i < len(row); i += 2 {
		chunks, err := strconv.ParseFloat(row[i], 64)
		require.NoError(t, err)
		processors, err := strconv.ParseFloat(row[i+1], 64)
		require.NoError(t, err)
		require.InDelta(t, chunks*cost.ChunkSeconds, processors, 0.1, row[0])
	}
}

// serverlessProd is prod with -c database=serverless -c awsAccess=ipv6.
func serverlessProd(t *testing.T) cost.Deployment {
	t.Helper()
	d := countDeployment(synthesize(t, "prod"), "prod, serverless, ipv6")
	require.NotZero(t, d.Endpoints)
	d.Endpoints = 0
	return d
}

// countDeployment counts the billed resources.
func countDeployment(w *stageTemplates, name string) cost.Deployment {
	wake, _ := w.blueprint.Function(blueprint.WakeFunction)
	d := cost.Deployment{
		Name: name, AlarmMetrics: alarmMetrics(w), Dashboards: len(w.ofType("AWS::CloudWatch::Dashboard")),
		Keys: len(w.ofType("AWS::KMS::Key")), Secrets: len(w.ofType("AWS::SecretsManager::Secret")) + 1, // one more, created by RDS
		Mappings: len(w.ofType("AWS::Lambda::EventSourceMapping")), Endpoints: endpointAddresses(w),
		NATGateways: len(w.ofType("AWS::EC2::NatGateway")), Proxies: len(w.ofType("AWS::RDS::DBProxy")), ProxyCPUs: 2, WakeMemoryMiB: wake.Memory,
	}
	for _, r := range w.ofType("AWS::RDS::DBCluster") {
		d.StorageItem, d.StorageGB, d.NightlyWakeups = "Aurora storage", 10, 1
		scaling := r.Properties["ServerlessV2ScalingConfiguration"].(map[string]any)
		d.IdleHours = float64(intValue(scaling["SecondsUntilAutoPause"])) / 3600
		return d
	}
	for _, r := range w.ofType("AWS::RDS::DBInstance") {
		d.InstanceItem, d.StorageItem = "RDS, "+w.text(r.Properties["DBInstanceClass"]), "RDS storage, gp3"
		d.StorageGB = float64(w.settings.Stage.Storage)
		if r.Properties["MultiAZ"] == true {
			d.InstanceItem += ", two zones"
			d.StorageItem += ", two zones"
		}
	}
	return d
}

// alarmMetrics counts as CloudWatch bills: the metrics of an alarm, but not the expression over
// them.
func alarmMetrics(w *stageTemplates) int {
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

func endpointAddresses(w *stageTemplates) int {
	n := 0
	for _, e := range w.ofType("AWS::EC2::VPCEndpoint") {
		subnets, _ := e.Properties["SubnetIds"].([]any)
		n += len(subnets)
	}
	return n
}
