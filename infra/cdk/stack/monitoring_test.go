package stack_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Each alarm by name, with its metric and its condition: "metric comparison threshold,
// periods×seconds, missing data". The expressions are those of metric math.
func TestAlarms(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev")
	got := map[string]string{}
	for _, a := range w.ofType("AWS::CloudWatch::Alarm") {
		got[w.baseName(w.text(a.Properties["AlarmName"]))] = alarmCondition(t, w, a)
	}
	want := map[string]string{
		"dead-letters-rows-dlq":     "NumberOfMessagesReceived > 0, 1×300, notBreaching",
		"dead-letters-events-dlq":   "ApproximateNumberOfMessagesVisible > 0, 1×300, notBreaching",
		"dead-letters-fetches-dlq":  "NumberOfMessagesReceived > 0, 1×300, notBreaching",
		"queue-age-fetches":         "ApproximateAgeOfOldestMessage > 900, 3×300, notBreaching",
		"dead-letters-exports-dlq":  "NumberOfMessagesReceived > 0, 1×300, notBreaching",
		"queue-age-objects":         "ApproximateAgeOfOldestMessage > 900, 3×300, notBreaching",
		"queue-age-exports":         "ApproximateAgeOfOldestMessage > 900, 3×300, notBreaching",
		"dead-letters-webhooks-dlq": "ApproximateNumberOfMessagesVisible > 0, 1×300, notBreaching",
		"queue-age-webhooks":        "ApproximateAgeOfOldestMessage > 900, 3×300, notBreaching",
		"queue-age-rows":            "ApproximateAgeOfOldestMessage > 900, 3×300, notBreaching",
		"failed-jobs":               "IF(FILL(failed,0)>=5, 100*FILL(failed,0)/(FILL(failed,0)+FILL(completed,0)), 0) > 20, 1×3600, notBreaching",
		"stuck-jobs":                "import.stuck > 0, 2×300, notBreaching",
		"invariant-violations":      "import.invariant.violations > 0, 1×300, notBreaching",
		"schedule-wake":             "runs-FILL(errors,0) < 1, 3×300, breaching",
		"api-5xx":                   "IF(FILL(failed,0)>=5, 100*FILL(failed,0)/requests, 0) > 1, 1×300, notBreaching",
		"database-cpu":              "CPUUtilization > 80, 3×300, notBreaching",
		"database-connections":      "DatabaseConnections > 140, 2×300, notBreaching",
		"functions-throttled":       "Throttles > 10, 3×300, notBreaching",
		"executions-throttled":      "ExecutionThrottled > 0, 3×300, notBreaching",
		"table-throttled":           "FILL(reads,0)+FILL(writes,0) > 0, 3×300, notBreaching",
		"executions-unrecorded":     "FILL(failed,0)+FILL(timedOut,0)-FILL(jobsFailed,0)-FILL(jobsCancelled,0) > 0, 1×3600, notBreaching",
		"api-throttled":             "refused > 50, 3×300, notBreaching",
		"pool-slow":                 "DatabaseConnectionsBorrowLatency > 1e+06, 3×300, notBreaching",
		"database-credits":          "CPUCreditBalance < 30, 3×300, notBreaching",
		"database-storage":          "FreeStorageSpace < 2.147483648e+09, 3×300, notBreaching",
	}
	for _, s := range w.blueprint.Schedules {
		if strings.HasPrefix(s.Expression, "cron(") {
			want["schedule-"+s.Name] = "Errors > 0, 1×900, notBreaching"
		}
	}
	want["schedule-reconcile"] = "Errors > 0, 3×300, notBreaching" // called again after an error
	require.Equal(t, want, got)
}

// The low-cost deployment has only the alarms about work that would be lost or never done.
func TestAlarmsOfScaleToZeroDeployment(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-serverless")
	var got []string
	for _, a := range w.ofType("AWS::CloudWatch::Alarm") {
		got = append(got, w.baseName(w.text(a.Properties["AlarmName"])))
	}
	require.ElementsMatch(t, []string{
		"dead-letters-rows-dlq", "dead-letters-events-dlq", "dead-letters-fetches-dlq", "dead-letters-exports-dlq", "dead-letters-webhooks-dlq",
		"stuck-jobs", "invariant-violations", "schedule-wake", "schedule-reconcile", "schedule-purge", "api-5xx",
	}, got)
}

// A database that resumes raises no alarm; one that is away for longer does.
func TestWakingDatabaseRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"dev-serverless": "(FILL(failed,0)-FILL(waking,0)) > 4, 1×300, notBreaching",
		"prod":           "IF((FILL(failed,0)-FILL(waking,0))>=5, 100*(FILL(failed,0)-FILL(waking,0))/requests, 0) > 1, 1×300, notBreaching",
	} {
		w := synthesize(t, name)
		_, a := w.single(t, "AWS::CloudWatch::Alarm", "AlarmName", "loadbay-api-5xx-"+w.stage)
		require.Equal(t, want, alarmCondition(t, w, a))
		require.Equal(t, []string{"api.database.waking by "}, customMetrics(t, w, a))
	}
}

// Aurora at its maximum is slow and nothing else shows it.
func TestCapacityAlarm(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod")
	_, a := w.single(t, "AWS::CloudWatch::Alarm", "AlarmName", "loadbay-database-capacity-prod")
	require.Equal(t, "ACUUtilization > 95, 3×300, notBreaching", alarmCondition(t, w, a))
}

// API Gateway refuses requests beyond the stage's rate itself; only its log shows them.
func TestRefusedRequestsAreCounted(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod")
	_, filter := w.single(t, "AWS::Logs::MetricFilter", "", "")
	require.Equal(t, `{ $.status = "429" && $.integrationMs = "-" }`, filter.Properties["FilterPattern"])
	_, a := w.single(t, "AWS::CloudWatch::Alarm", "AlarmName", "loadbay-api-throttled-prod")
	require.Equal(t, nested(t, filter.Properties, "MetricTransformations", 0, "MetricNamespace"), a.Properties["Namespace"])
	require.Empty(t, synthesize(t, "dev-serverless").ofType("AWS::Logs::MetricFilter"), "a metric costs as much as three alarms")
}

// Somebody is warned about the bill, if there is somebody.
func TestBudget(t *testing.T) {
	t.Parallel()
	_, budget := synthesize(t, "prod").single(t, "AWS::Budgets::Budget", "", "")
	require.InDelta(t, 600, nested(t, budget.Properties, "Budget", "BudgetLimit", "Amount"), 0)
	for i, kind := range []string{"ACTUAL", "FORECASTED"} {
		warning := nested(t, budget.Properties, "NotificationsWithSubscribers", i)
		require.Equal(t, kind, nested(t, warning, "Notification", "NotificationType"))
		require.Equal(t, "on-call@example.com", nested(t, warning, "Subscribers", 0, "Address"))
	}
	require.Empty(t, synthesize(t, "prod-instance").ofType("AWS::Budgets::Budget"), "nobody to warn")
}

func TestNightlyRunAlarm(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod")
	_, a := w.single(t, "AWS::CloudWatch::Alarm", "AlarmName", "loadbay-schedule-nightly-prod")
	require.Equal(t, "Errors > 0, 1×900, notBreaching", alarmCondition(t, w, a))
}

func alarmCondition(t *testing.T, w *stageTemplates, a resource) string {
	t.Helper()
	metric, period := w.text(a.Properties["MetricName"]), w.text(a.Properties["Period"])
	if metrics, ok := a.Properties["Metrics"].([]any); ok {
		for _, m := range metrics {
			if e := nested(t, m, "Expression"); e != nil {
				metric = w.text(e)
			} else {
				period = w.text(nested(t, m, "MetricStat", "Period"))
			}
		}
	}
	sign := map[string]string{"GreaterThanThreshold": " > ", "LessThanThreshold": " < "}[w.text(a.Properties["ComparisonOperator"])]
	return metric + sign + w.text(a.Properties["Threshold"]) + ", " + w.text(a.Properties["EvaluationPeriods"]) + "×" + period + ", " + w.text(a.Properties["TreatMissingData"])
}

// Alarms notify a person, also when they return to OK, and explain what to do.
func TestAlarmsNotifyTopic(t *testing.T) {
	runbook := headingAnchors(t, "../../../docs/runbook.md")
	runEach(t, func(t *testing.T, w *stageTemplates) {
		topic, _ := w.single(t, "AWS::SNS::Topic", "", "")
		for id, a := range w.ofType("AWS::CloudWatch::Alarm") {
			require.Equal(t, []string{"${" + topic + "}"}, w.textList(a.Properties["AlarmActions"]), id)
			require.Equal(t, []string{"${" + topic + "}"}, w.textList(a.Properties["OKActions"]), id)
			_, section, found := strings.Cut(w.text(a.Properties["AlarmDescription"]), "docs/runbook.md#")
			require.True(t, found, id)
			require.Contains(t, runbook, section, id)
		}
		_, policy := w.single(t, "AWS::SNS::TopicPolicy", "", "")
		statement := nested(t, policy.Properties, "PolicyDocument", "Statement", 1)
		require.Equal(t, []any{"cloudwatch.amazonaws.com", "events.rds.amazonaws.com"}, nested(t, statement, "Principal", "Service"))
		require.Equal(t, "${AWS::AccountId}", w.text(nested(t, statement, "Condition", "StringEquals", "aws:SourceAccount")))
		_, events := w.single(t, "AWS::RDS::EventSubscription", "", "")
		require.Equal(t, "${"+topic+"}", w.text(events.Properties["SnsTopicArn"]))
		kind := "db-instance"
		if scalesToZero(w) {
			kind = "db-cluster"
		}
		require.Equal(t, kind, events.Properties["SourceType"])
		require.Contains(t, events.Properties["EventCategories"], "failover")
	})
	t.Run("email", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, synthesize(t, "dev").ofType("AWS::SNS::Subscription"))
		_, s := synthesize(t, "prod").single(t, "AWS::SNS::Subscription", "", "")
		require.Equal(t, "on-call@example.com", s.Properties["Endpoint"])
	})
}

// headingAnchors returns the anchors of a Markdown file's headings.
func headingAnchors(t *testing.T, file string) []string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var anchors []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(content), -1) {
		anchors = append(anchors, strings.ReplaceAll(strings.ToLower(m[1]), " ", "-"))
	}
	return anchors
}

// The blueprint lists every custom metric that alarms and charts read, with exactly these
// dimensions.
func TestAlarmedMetricsAreListed(t *testing.T) {
	known := map[string]bool{}
	for _, m := range blueprint.Metrics() {
		for _, set := range m.Dimensions {
			known[m.Name+" by "+strings.Join(set, ",")] = true
		}
	}
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for id, a := range w.ofType("AWS::CloudWatch::Alarm") {
			for _, m := range customMetrics(t, w, a) {
				require.Contains(t, known, m, id)
			}
		}
		if !w.settings.Dashboard {
			require.Empty(t, w.ofType("AWS::CloudWatch::Dashboard"))
			return
		}
		_, dashboard := w.single(t, "AWS::CloudWatch::Dashboard", "", "")
		body := w.text(dashboard.Properties["DashboardBody"])
		searched := regexp.MustCompile(`SEARCH\('\{\\+"Loadbay/`+w.stage+`\\+",([\w,]+)\} MetricName=\\+"([\w.]+)\\+"`).FindAllStringSubmatch(body, -1)
		require.NotEmpty(t, searched)
		for _, m := range searched {
			require.Contains(t, known, m[2]+" by "+m[1])
		}
		for _, m := range blueprint.Metrics() {
			require.True(t, strings.Contains(body, m.Name), "no dashboard or alarm shows %s", m.Name)
		}
	})
}

// customMetrics returns "name by dimensions" of the custom metrics in an alarm.
func customMetrics(t *testing.T, w *stageTemplates, a resource) []string {
	t.Helper()
	list := []any{map[string]any{"MetricStat": map[string]any{"Metric": a.Properties}}}
	if metrics, ok := a.Properties["Metrics"].([]any); ok {
		list = metrics
	}
	var found []string
	for _, m := range list {
		stat, ok := nested(t, m, "MetricStat").(map[string]any)
		if !ok || nested(t, stat, "Metric", "Namespace") != "Loadbay/"+w.stage {
			continue
		}
		var names []string
		dimensions, _ := nested(t, stat, "Metric", "Dimensions").([]any)
		for _, d := range dimensions {
			names = append(names, w.text(nested(t, d, "Name")))
		}
		found = append(found, w.text(nested(t, stat, "Metric", "MetricName"))+" by "+strings.Join(names, ","))
	}
	return found
}

// Every function writes its metrics to the namespace that the alarms of its stage read.
func TestMetricNamespaceHasStage(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			require.Equal(t, "Loadbay/"+w.stage, nested(t, r.Properties, "Environment", "Variables", "METRICS_NAMESPACE"), f.Name)
		}
	})
}

func TestSavedQueriesCoverFunctionLogs(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		queries := w.ofType("AWS::Logs::QueryDefinition")
		require.GreaterOrEqual(t, len(queries), 5)
		for id, q := range queries {
			require.Len(t, q.Properties["LogGroupNames"], len(w.blueprint.Functions), id)
			require.True(t, strings.HasPrefix(w.text(q.Properties["Name"]), "loadbay-"+w.stage+"/"), id)
		}
	})
}
