package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/jsii-runtime-go"
)

func minutes(n float64) awscdk.Duration {
	return awscdk.Duration_Minutes(jsii.Number(n))
}

// statistic selects a statistic of a service's own metric over a period.
func statistic(name string, period awscdk.Duration) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: jsii.String(name), Period: period}
}

// customMetric is a metric that the functions write, with one of its sets of dimensions.
func (svc *service) customMetric(name, stat string, period awscdk.Duration, dimensions map[string]string) awscloudwatch.Metric {
	props := &awscloudwatch.MetricProps{
		Namespace: jsii.String(svc.settings.deployment().MetricNamespace()), MetricName: jsii.String(name),
		Statistic: jsii.String(stat), Period: period,
	}
	if len(dimensions) > 0 {
		props.DimensionsMap = jsiiMap(dimensions)
	}
	return awscloudwatch.NewMetric(props)
}

// expression computes a metric from others.
func expression(formula string, period awscdk.Duration, using map[string]awscloudwatch.IMetric) awscloudwatch.MathExpression {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(formula), Period: period, UsingMetrics: &using,
	})
}

// searchMetric draws every series of a custom metric with exactly these dimensions. An alarm
// cannot search.
func (svc *service) searchMetric(dimensions, name, stat string, period awscdk.Duration) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String("SEARCH('{\"" + svc.settings.deployment().MetricNamespace() + "\"," + dimensions + "} MetricName=\"" + name + "\"', '" + stat + "')"),
		Label:      jsii.String(""), Period: period, UsingMetrics: &map[string]awscloudwatch.IMetric{},
	})
}

// labelMetric labels a metric in a chart.
func labelMetric(label string, m awscloudwatch.Metric) awscloudwatch.IMetric {
	return m.With(&awscloudwatch.MetricOptions{Label: jsii.String(label)})
}
