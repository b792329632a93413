package stack_test

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/constructs-go/constructs/v10"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/cdk/stack"
)

var allPairs = flag.Bool("pairs", false, "synthesize all pairs of values of two settings, and compare each deployment with each other")

// maxSyntheses limits the test of all pairs; 30 take less than two minutes on two free processors.
const maxSyntheses = 200

// changeableSettings are the settings that can change on a standing stage, with their values; "" is
// the default. Others (quotas, limits) only become variables of functions, as QUOTA_STREAMS does.
var changeableSettings = map[string][]string{
	"database":        {"instance", "serverless", "instance-2"},
	"databaseBeside":  {"", "instance", "serverless"},
	"awsAccess":       {"endpoints", "ipv6"},
	"awsAccessBeside": {"", "true"},
	"auth":            {"", "cognito"},
	"corsOrigins":     {"", "https://app.example.com"},
	"consoleDomain":   {"", "import.example.com"},
	"authOrigins":     {"", "https://login.example.com"},
	"alarmEmail":      {"none", "on-call@example.com"},
	"atOnce":          {"", "true"},
	"apiKeys":         {"", "true"},
	"QUOTA_STREAMS":   {"", "3"},
	"SAMPLES":         {"", "on"},

	"permissionsBoundary": {"", "developers"},
	"monthlyBudget":       {"", "0"},
	"backupCopies":        {"", "arn:aws:backup:eu-west-1:111111111111:backup-vault:loadbay"},

	"console":      {"", "none"},
	"dashboard":    {"true", "false"},
	"tracing":      {"", "true"},
	"minCapacity":  {"", "0.5"},
	"instanceType": {"", "m7g.xlarge"},
	"jwtAudience":  {"", "one,two"},
}

// fixedSettings are chosen with the first deployment: a network, key or database cannot be replaced in
// place. Deployments that differ in one of them are not compared. Each set of values is combined with
// the changeable settings that it affects.
var fixedSettings = []map[string]string{
	{},
	{"postgres": "17", "postgresBeside": "18"},
	{"postgres": "18", "postgresBeside": "17"}, // rows have moved from 17 to 18
	{
		"vpcId": "vpc-0123456789abcdef0", "functionSubnets": "subnet-0000000000000000a,subnet-0000000000000000b",
		"databaseSubnets": "subnet-0000000000000000c,subnet-0000000000000000d", "kmsKeyArn": existingKey,
	},
	{
		"vpcId": "vpc-0123456789abcdef0", "functionSubnets": "subnet-0000000000000000a,subnet-0000000000000000b",
		"databaseHost": "main.cabc123.eu-central-1.rds.amazonaws.com", "databaseResourceId": "db-ABC123", "databaseSecurityGroup": "sg-0123456789abcdef0",
		"databaseSecretArn": "arn:aws:secretsmanager:eu-central-1:111111111111:secret:main-AbCdEf",
	},
}

// combinedSettings are the changeable settings that a set of fixed ones is combined with.
func combinedSettings(fixed map[string]string) []string {
	switch {
	case fixed["postgres"] != "":
		return []string{"database", "databaseBeside"}
	case fixed["vpcId"] == "":
		return slices.Sorted(maps.Keys(changeableSettings))
	case fixed["databaseHost"] == "":
		return []string{"alarmEmail", "awsAccess", "backupCopies", "database", "databaseBeside", "permissionsBoundary"}
	default:
		return []string{"alarmEmail", "awsAccess", "backupCopies", "permissionsBoundary"}
	}
}

// otherSettings are neither changed nor fixed in the tests of changes.
var otherSettings = map[string]string{
	"stage":                "names another installation",
	"cell":                 "names another installation",
	"zones":                "like the other fixed settings",
	"jwtIssuer":            "changes with auth",
	"consoleCertificate":   "changes with consoleDomain",
	"databaseName":         "like the other fixed settings",
	"databaseSecretKeyArn": "like the other fixed settings",
	"runbookUrl":           "only in the descriptions of alarms",
	"assets":               "a folder on this machine",
	"sam":                  "for a local run",
	"natGateways":          "removed",
}

// contextRecorder records the keys that are read.
type contextRecorder struct {
	constructs.Node
	keys map[string]bool
}

func (r contextRecorder) TryGetContext(key *string) any {
	r.keys[*key] = true
	return r.Node.TryGetContext(key)
}

// A setting cannot be added without a decision on whether it may change on a standing stage.
func TestEverySettingIsChangedOrFixed(t *testing.T) {
	w := synthesize(t, "dev") // skips without node
	r := contextRecorder{stack.NewApp(t.TempDir()).Node(), map[string]bool{}}
	_, err := stack.SettingsFromContext(r)
	require.NoError(t, err)
	fixed := map[string]bool{}
	for _, settings := range fixedSettings {
		for key := range settings {
			fixed[key] = true
		}
	}
	for key := range r.keys {
		_, changes := changeableSettings[key]
		_, other := otherSettings[key]
		variable := slices.Contains(w.blueprint.Settings(), key)
		require.True(t, changes || fixed[key] || other || variable, "context %s: add it to changeableSettings, fixedSettings or otherSettings", key)
	}
	for key := range changeableSettings {
		require.True(t, r.keys[key], "%s is not read", key)
	}
}

// sameFixed reports whether two deployments can be of one stage at different times: a database that
// stays keeps its version. Deployments with and without a version are not compared, which would take
// too long.
func sameFixed(before, after *stageTemplates) bool {
	for _, key := range []string{"cell", "zones", "vpcId", "kmsKeyArn", "databaseHost"} {
		if before.context[key] != after.context[key] {
			return false
		}
	}
	versions := postgresVersions(after.settings)
	for id, version := range postgresVersions(before.settings) {
		if now, stays := versions[id]; stays && now != version {
			return false
		}
	}
	return (before.context["postgres"] == nil) == (after.context["postgres"] == nil)
}

// postgresVersions returns the versions of the databases of a deployment.
func postgresVersions(s stack.Settings) map[stack.DatabaseID]string {
	versions := map[stack.DatabaseID]string{s.Database(): s.Postgres}
	if s.ExtraDatabase != nil {
		versions[*s.ExtraDatabase] = s.ExtraPostgres
	}
	return versions
}

// Every change of settings on a standing stage can be deployed: it loses no data of a database,
// bucket, table or queue that stays, replaces nothing in the network, creates nothing under a name
// or address that still exists, and withdraws nothing that the other stack uses. The variants of the
// other tests are compared by default, all pairs of values with -pairs (make test-settings).
func TestSettingsCanChange(t *testing.T) {
	if !*allPairs {
		t.Parallel()
	}
	begin := time.Now()
	deployments := map[string][]*stageTemplates{}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		if *allPairs {
			break
		}
		w := synthesize(t, name)
		deployments[w.stage] = append(deployments[w.stage], w)
	}
	if *allPairs {
		deployments = synthesizePairs(t)
	}
	var updates []update
	for _, stage := range []string{"dev", "prod"} {
		for _, before := range deployments[stage] {
			for _, after := range deployments[stage] {
				if before != after && sameFixed(before, after) {
					updates = append(updates, update{before, after})
				}
			}
		}
	}
	for _, after := range deployments["prod"] {
		if !sameFixed(&stageTemplates{}, after) {
			continue // 0.1.0 had none of them
		}
		updates = append(updates, update{readRelease(t, "0.1.0"), after})
	}
	checkUpdates(t, updates)
	t.Logf("%d updates of %d deployments compared in %s", len(updates), len(deployments["dev"])+len(deployments["prod"]), time.Since(begin).Round(time.Second))
}

// The checks of an update find each kind of failure.
func TestUnsafeUpdatesAreDetected(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-serverless")
	route := slices.Sorted(maps.Keys(w.ofType("AWS::EC2::Route")))[0]
	change := func(edit func(resources map[string]resource)) *stageTemplates {
		changed := *w
		changed.resources = maps.Clone(w.resources)
		edit(changed.resources)
		return &changed
	}
	renamed := change(func(r map[string]resource) { r["Renamed"] = r[route]; delete(r, route) })
	require.Equal(t, []string{"Renamed is created while " + route + " still is the same AWS::EC2::Route"}, update{w, renamed}.collisions(nil))
	require.Empty(t, update{w, w}.collisions(nil))
	require.NotEmpty(t, update{w, w}.collisions([]resourceLoss{{ID: route, Type: "AWS::EC2::Route", Impact: "WILL_REPLACE"}}), "a replacement with the same identity")
	withdrawn := *w
	withdrawn.exports = nil
	require.NotEmpty(t, update{w, &withdrawn}.withdrawnExports())
	require.Empty(t, update{w, w}.withdrawnExports())
	subnet := slices.Sorted(maps.Keys(w.ofType("AWS::EC2::Subnet")))[0]
	require.NotEmpty(t, update{w, w}.unexpectedLosses([]resourceLoss{{ID: subnet, Type: "AWS::EC2::Subnet", Impact: "MAY_REPLACE"}}))
	bucket, _ := w.single(t, "AWS::DynamoDB::Table", "", "")
	require.NotEmpty(t, update{w, w}.unexpectedLosses([]resourceLoss{{ID: bucket, Type: "AWS::DynamoDB::Table", Impact: "WILL_DESTROY"}}))
}

// update is a change of a standing stage.
type update struct{ before, after *stageTemplates }

func (u update) String() string {
	var changes []string
	for key := range changeableSettings {
		if was, is := u.before.context[key], u.after.context[key]; was != is {
			changes = append(changes, fmt.Sprintf("%s %v → %v", key, was, is))
		}
	}
	slices.Sort(changes)
	return u.after.stage + ": " + strings.Join(changes, ", ")
}

// checkUpdates reports each failure once, with the update that differs least.
func checkUpdates(t *testing.T, updates []update) {
	t.Helper()
	var files []string
	for _, u := range updates {
		for _, part := range []string{stack.DataPart, stack.ServicePart} {
			files = append(files, u.before.template(part), u.after.template(part))
		}
	}
	losses := findAllLosses(t, files...)
	failures := map[string]string{}
	for i, u := range updates {
		lost := slices.Concat(losses[2*i], losses[2*i+1])
		for _, failure := range slices.Concat(u.unexpectedLosses(lost), u.collisions(lost), u.withdrawnExports()) {
			if least, seen := failures[failure]; !seen || len(u.String()) < len(least) {
				failures[failure] = u.String()
			}
		}
	}
	for _, failure := range slices.Sorted(maps.Keys(failures)) {
		t.Errorf("%s\n\t%s", failure, failures[failure])
	}
}

// replaceableTypes have no content, and no name that another resource could already have.
var replaceableTypes = []string{
	"AWS::Lambda::Permission", "AWS::CloudWatch::Dashboard", "AWS::S3::BucketPolicy",
}

// unexpectedLosses are resources that an update may not replace or remove.
func (u update) unexpectedLosses(lost []resourceLoss) []string {
	var failures []string
	for _, l := range lost {
		r := u.before.resources[l.ID]
		gone := l.Impact == "WILL_DESTROY" || l.Impact == "WILL_ORPHAN"
		switch {
		case u.before.release != "" && acceptedLosses[u.before.release][l.ID] != "":
			continue
		case gone && u.dropsDatabase(r):
			continue
		case gone && l.Type == "AWS::Cognito::UserPool" && u.before.settings.UserPool && !u.after.settings.UserPool:
			continue // the setting removes the accounts
		case gone && strings.HasPrefix(l.ID, "Console") && u.after.settings.WithoutConsole && !u.before.settings.WithoutConsole:
			continue // the setting removes the console, which a deployment creates again
		case gone && !slices.Contains(dataTypes, l.Type) && !isNetwork(l.Type):
			continue
		case gone && slices.Contains([]string{"AWS::EC2::VPCEndpoint", "AWS::EC2::EgressOnlyInternetGateway", "AWS::EC2::Route"}, l.Type) &&
			(u.after.settings.Access != u.before.settings.Access || u.before.settings.BothAccesses):
			continue // the setting removes a way to AWS
		case slices.Contains(replaceableTypes, l.Type):
			continue
		}
		failures = append(failures, fmt.Sprintf("%s %s %s %v", l.Impact, l.Type, l.ID, l.Because))
	}
	return failures
}

// isNetwork reports whether other resources are in resources of the type.
func isNetwork(kind string) bool {
	return strings.HasPrefix(kind, "AWS::EC2::") && !slices.Contains([]string{"AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress"}, kind)
}

// dropsDatabase reports whether a resource is a database that the settings no longer contain.
func (u update) dropsDatabase(r resource) bool {
	name, _ := r.Properties["DBInstanceIdentifier"].(string)
	if cluster, ok := r.Properties["DBClusterIdentifier"].(string); ok {
		name = cluster
	}
	if cluster, ok := r.Properties["DBClusterIdentifier"]; ok && name == "" { // an instance of a cluster
		id := strings.Trim(u.before.text(cluster), "${}")
		return u.dropsDatabase(u.before.resources[id])
	}
	if name == "" {
		return false
	}
	s := u.after.settings
	kept := []string{"loadbay-" + s.Database().String() + "-" + s.Stage.Name}
	if s.ExtraDatabase != nil {
		kept = append(kept, "loadbay-"+s.ExtraDatabase.String()+"-"+s.Stage.Name)
	}
	return !slices.Contains(kept, name)
}

// identities are the properties that identify a resource of a type in the account: two resources
// with equal ones cannot exist at the same time. CloudFormation creates before it deletes.
var identities = map[string][]string{
	"AWS::EC2::Route":                       {"RouteTableId", "DestinationCidrBlock", "DestinationIpv6CidrBlock"},
	"AWS::EC2::Subnet":                      {"VpcId", "CidrBlock"},
	"AWS::EC2::SubnetCidrBlock":             {"SubnetId"},
	"AWS::EC2::VPCCidrBlock":                {"VpcId"},
	"AWS::EC2::VPCEndpoint":                 {"VpcId", "ServiceName"},
	"AWS::EC2::SubnetRouteTableAssociation": {"SubnetId"},
	"AWS::EC2::SecurityGroupIngress":        {"GroupId", "SourceSecurityGroupId", "FromPort", "ToPort"},
	"AWS::EC2::SecurityGroupEgress":         {"GroupId", "DestinationSecurityGroupId", "FromPort", "ToPort"},
	"AWS::ApiGatewayV2::Route":              {"ApiId", "RouteKey"},
	"AWS::ApiGatewayV2::Stage":              {"ApiId", "StageName"},
	"AWS::Lambda::EventSourceMapping":       {"FunctionName", "EventSourceArn"},
	"AWS::Lambda::Alias":                    {"FunctionName", "Name"},
	"AWS::Lambda::Url":                      {"TargetFunctionArn", "Qualifier"},
	"AWS::S3::BucketPolicy":                 {"Bucket"},
	"AWS::RDS::DBProxyTargetGroup":          {"DBProxyName", "TargetGroupName"},
}

// nameProperties are the physical names of the other types. Names that consist only of references
// are those that CloudFormation chose.
var nameProperties = []string{
	"AlarmName", "AliasName", "BucketName", "DashboardName", "DBClusterIdentifier", "DBInstanceIdentifier", "DBProxyName", "Domain", "FunctionName",
	"LogGroupName", "Name", "QueueName", "RoleName", "StateMachineName", "TableName", "TopicName", "UserPoolName", "ApplicationName", "DeploymentGroupName",
}

// identity returns what identifies a resource in the account, or "".
func (w *stageTemplates) identity(r resource) string {
	var parts []string
	if properties, ok := identities[r.Type]; ok {
		for _, p := range properties {
			parts = append(parts, w.text(r.Properties[p]))
		}
		return strings.Join(parts, " ")
	}
	for _, p := range nameProperties {
		name := w.text(r.Properties[p])
		if strings.HasPrefix(name, "${") && !strings.Contains(name, "AWS::") && strings.HasSuffix(name, "}") || r.Type == "AWS::RDS::DBInstance" && p == "DBClusterIdentifier" {
			continue
		}
		if name != "" {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " ")
}

// collisions are resources that an update creates while another one with the same identity exists.
func (u update) collisions(lost []resourceLoss) []string {
	existing := map[string]string{}
	for id, r := range u.before.resources {
		if identity := u.before.identity(r); identity != "" {
			existing[r.Type+" "+identity] = id
		}
	}
	replaced := map[string]bool{}
	for _, l := range lost {
		replaced[l.ID] = strings.HasSuffix(l.Impact, "_REPLACE")
	}
	var failures []string
	for id, r := range u.after.resources {
		was, kept := u.before.resources[id]
		identity := u.after.identity(r)
		if identity == "" || kept && was.Type == r.Type && !replaced[id] {
			continue
		}
		if other, exists := existing[r.Type+" "+identity]; exists && !slices.Contains(replaceableTypes, r.Type) {
			failures = append(failures, fmt.Sprintf("%s is created while %s still is the same %s", id, other, r.Type))
		}
	}
	return failures
}

// withdrawnExports are values that the service stack still imports when the data stack is updated,
// which is first.
func (u update) withdrawnExports() []string {
	if u.before.release == "0.1.0" {
		return nil // the service stack is deleted first: docs/runbook.md#replacing-the-stacks-of-010
	}
	var failures []string
	for _, name := range u.before.imports {
		value, known := u.before.exports[name] // unknown in releases
		if now, exists := u.after.exports[name]; !exists || known && u.before.text(value) != u.after.text(now) {
			failures = append(failures, "the service stack imports "+name+", which the data stack no longer exports with the same value")
		}
	}
	return failures
}

// synthesizePairs synthesizes deployments that together have every pair of values of two settings.
func synthesizePairs(t *testing.T) map[string][]*stageTemplates {
	t.Helper()
	deployments, n := map[string][]*stageTemplates{}, 0
	for _, stage := range []string{"dev", "prod"} {
		for _, chosen := range coverFixed() {
			context := map[string]any{"stage": stage}
			for key, value := range chosen {
				if value != "" {
					context[key] = value
				}
			}
			if chosen["auth"] == "" {
				context["jwtIssuer"] = issuer
			}
			if chosen["consoleDomain"] != "" {
				context["consoleCertificate"] = "arn:aws:acm:us-east-1:111111111111:certificate/one"
			}
			v := variant{stage: stage, context: context, withoutNag: true}
			w, err := v.synthesize(filepath.Join(testFolder, fmt.Sprintf("pairs-%s-%d", stage, n)))
			require.NoError(t, err, "%v", context)
			deployments[stage] = append(deployments[stage], w)
			n++
		}
	}
	require.LessOrEqual(t, n, maxSyntheses)
	return deployments
}

// coverFixed returns the choices for each set of fixed settings, with its values.
func coverFixed() []map[string]string {
	var choices []map[string]string
	for _, fixed := range fixedSettings {
		for _, chosen := range coverPairs(combinedSettings(fixed)) {
			maps.Copy(chosen, fixed)
			choices = append(choices, chosen)
		}
	}
	return choices
}

// coverPairs returns choices of a value for each setting, so that every possible pair of values of
// two settings is in one of them. Each next choice starts with a missing pair and adds, setting by
// setting, the value with the most missing pairs. Settings with many values are first, because they
// determine how many choices are needed.
func coverPairs(keys []string) []map[string]string {
	keys = slices.Clone(keys)
	slices.SortStableFunc(keys, func(a, b string) int { return len(changeableSettings[b]) - len(changeableSettings[a]) })
	type pair struct{ a, av, b, bv string }
	missing := map[pair]bool{}
	for i, a := range keys {
		for _, b := range keys[i+1:] {
			for _, av := range changeableSettings[a] {
				for _, bv := range changeableSettings[b] {
					if isPossible(map[string]string{a: av, b: bv}) {
						missing[pair{a, av, b, bv}] = true
					}
				}
			}
		}
	}
	covered := func(chosen map[string]string) (n int) {
		for p := range missing {
			if av, ok := chosen[p.a]; ok && av == p.av {
				if bv, ok := chosen[p.b]; ok && bv == p.bv {
					n++
				}
			}
		}
		return n
	}
	var choices []map[string]string
	for len(missing) > 0 {
		first := slices.SortedFunc(maps.Keys(missing), func(x, y pair) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })[0]
		chosen := map[string]string{first.a: first.av, first.b: first.bv}
		for _, key := range keys {
			if _, done := chosen[key]; done {
				continue
			}
			most := -1
			best := ""
			for _, value := range changeableSettings[key] {
				with := maps.Clone(chosen)
				with[key] = value
				if n := covered(with); isPossible(with) && n > most {
					most, best = n, value
				}
			}
			chosen[key] = best
		}
		maps.DeleteFunc(missing, func(p pair, _ bool) bool { return chosen[p.a] == p.av && chosen[p.b] == p.bv })
		choices = append(choices, chosen)
	}
	return choices
}

// isPossible reports whether the settings allow a combination.
func isPossible(chosen map[string]string) bool {
	if chosen["console"] == "none" && chosen["consoleDomain"] != "" {
		return false
	}
	return chosen["database"] == "" || chosen["database"] != chosen["databaseBeside"]
}

// Each pair of values is in one of the choices, and the choices are few.
func TestCoverPairs(t *testing.T) {
	t.Parallel()
	choices := coverPairs(slices.Sorted(maps.Keys(changeableSettings)))
	require.Less(t, len(choices), 20)
	for a, values := range changeableSettings {
		for b, others := range changeableSettings {
			for _, av := range values {
				for _, bv := range others {
					if a == b || !isPossible(map[string]string{a: av, b: bv}) {
						continue
					}
					require.True(t, slices.ContainsFunc(choices, func(c map[string]string) bool { return c[a] == av && c[b] == bv }), "%s=%s %s=%s", a, av, b, bv)
				}
			}
		}
	}
}
