package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"
)

// savedQuery is a query over the functions' logs, saved in CloudWatch Logs Insights.
type savedQuery struct{ name, text string }

// savedQueries are the queries of docs/runbook.md. Log lines are JSON objects; job_id and
// request_id appear in every component, and metrics are log lines, too.
func savedQueries() []savedQuery {
	return []savedQuery{
		{"one job, everything", `fields @timestamp, level, msg, @log, request_id
| filter job_id = "00000000-0000-7000-8000-000000000001"
| sort @timestamp asc
| limit 1000`},
		{"one request, everything", `fields @timestamp, level, msg, @log, job_id
| filter request_id = "the X-Request-ID of the response"
| sort @timestamp asc
| limit 1000`},
		{"errors and warnings", `fields @timestamp, level, msg, error, @log, job_id, request_id
| filter level in ["ERROR", "WARN"]
| sort @timestamp desc
| limit 200`},
		{"changes of status", `filter msg = "status changed"
| stats count(*) as jobs by import_type, from, to
| sort jobs desc`},
		{"rows by outcome", "filter ispresent(`import.rows`)\n" +
			"| stats sum(`import.rows`) as rows by importType, outcome, bin(5m)"},
		{"time per chunk", "filter ispresent(`import.chunk.duration`)\n" +
			"| stats count(*) as chunks, pct(`import.chunk.duration`, 50) as p50, pct(`import.chunk.duration`, 99) as p99, max(`import.chunk.duration`) as slowest by bin(5m)"},
		{"memory and cold starts", `filter @type = "REPORT"
| stats count(*) as calls, count(@initDuration) as cold, pct(@duration, 99) as p99, max(@maxMemoryUsed) / 1048576 as used, max(@memorySize) / 1048576 as size by @log`},
	}
}

func (svc *service) addQueries() {
	var groups []any
	for _, f := range svc.blueprint.Functions {
		groups = append(groups, svc.logs[f.Name].LogGroupName())
	}
	for _, q := range savedQueries() {
		awslogs.NewCfnQueryDefinition(svc.Stack, jsii.String("Query-"+q.name), &awslogs.CfnQueryDefinitionProps{
			Name:          jsii.String("loadbay-" + svc.settings.stageName() + "/" + q.name),
			QueryString:   jsii.String(q.text),
			LogGroupNames: &groups,
		})
	}
}
