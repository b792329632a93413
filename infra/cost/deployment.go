package cost

import "fmt"

// hoursPerMonth is the number of hours in a month in AWS's prices.
const hoursPerMonth = 730

// Deployment contains the fixed costs, counted in the templates of a stage.
type Deployment struct {
	Name                     string
	AlarmMetrics, Dashboards int
	Keys, Secrets            int
	Mappings                 int // from queues to functions
	Endpoints, NATGateways   int // number of addresses over all zones
	Proxies, ProxyCPUs       int
	InstanceItem             string // item of the database's price; "" if it pauses
	StorageItem              string // item of its storage's price
	StorageGB                float64
	WakeMemoryMiB            int     // memory of the function that runs every minute
	MinACU                   float64 // capacity that the database never goes below; 0 if it pauses
	NightlyWakeups           int     // nightly runs that wake the database
	IdleHours                float64 // hours until the database pauses again
}

// The assumptions about an idle month, in addition to the counted parts.
const (
	wakeSeconds  = 0.05   // duration of a call that reads one item
	wakeLogGB    = 600e-9 // GB of log that Lambda writes per call
	pollers      = 5      // per mapping, at least
	pollSeconds  = 20     // duration of a long poll
	nightSeconds = 60     // total duration of purge and reconcile
	minACU       = 0.5    // capacity while awake without load
)

// Idle returns the bill of a month without any work.
func (d Deployment) Idle() Bill {
	const wakes = hoursPerMonth * 60
	lines := d.idleDatabase()
	if d.Endpoints > 0 {
		lines = append(lines, Line{"interface endpoints", fmt.Sprintf("%d addresses × %d hours", d.Endpoints, hoursPerMonth), "Interface endpoint", float64(d.Endpoints * hoursPerMonth)})
	}
	lines = append(lines, d.egress()...)
	if d.Dashboards > 0 {
		lines = append(lines, Line{"dashboard", fmt.Sprint(d.Dashboards), "CloudWatch, dashboard", float64(d.Dashboards)})
	}
	polls := float64(d.Mappings) * pollers * hoursPerMonth * 3600 / pollSeconds / 1e6
	return Bill{Name: d.Name, Lines: append(lines,
		Line{"alarms", fmt.Sprintf("%d metrics", d.AlarmMetrics), "CloudWatch, metric of an alarm", float64(d.AlarmMetrics)},
		Line{"key", fmt.Sprint(d.Keys), "KMS, key", float64(d.Keys)},
		Line{"secrets", fmt.Sprint(d.Secrets), "Secrets Manager", float64(d.Secrets)},
		Line{"SQS", fmt.Sprintf("%d mappings × %d pollers, every %d s", d.Mappings, pollers, pollSeconds), "SQS, standard", polls},
		Line{"wake", fmt.Sprintf("%d × ≈ %g s × %d MiB", wakes, wakeSeconds, d.WakeMemoryMiB), "Lambda, arm64", wakes * wakeSeconds * float64(d.WakeMemoryMiB) / 1024},
		Line{"its requests", fmt.Sprint(wakes), "Lambda, requests", wakes / 1e6},
		Line{"its reads", fmt.Sprint(wakes), "DynamoDB, on demand, reads", wakes / 1e6},
		Line{"its logs", fmt.Sprintf("%d × ≈ 600 B", wakes), "CloudWatch, logs", wakes * wakeLogGB},
	)}
}

// idleDatabase returns the cost of the unused database.
func (d Deployment) idleDatabase() []Line {
	storage := Line{"its storage", fmt.Sprintf("%g GB", d.StorageGB), d.StorageItem, d.StorageGB}
	if d.InstanceItem != "" {
		return append([]Line{{"database", fmt.Sprintf("%d hours", hoursPerMonth), d.InstanceItem, hoursPerMonth}, storage}, d.proxy()...)
	}
	if d.MinACU > 0 {
		return []Line{{"database", fmt.Sprintf("%d hours × %g ACU", hoursPerMonth, d.MinACU), "Aurora Serverless v2", hoursPerMonth * d.MinACU}, storage}
	}
	awake := 30 * float64(d.NightlyWakeups) * (nightSeconds/3600.0 + d.IdleHours)
	return []Line{
		{"database", fmt.Sprintf("30 nights × (%d s + %g min) × %g ACU", nightSeconds, d.IdleHours*60, minACU), "Aurora Serverless v2", awake * minACU},
		storage,
	}
}

func (d Deployment) proxy() []Line {
	if d.Proxies == 0 {
		return nil
	}
	return []Line{{"RDS Proxy", fmt.Sprintf("%d vCPU × %d hours", d.ProxyCPUs, hoursPerMonth), "RDS Proxy", float64(d.ProxyCPUs * hoursPerMonth)}}
}

// egress returns the cost of the route to the internet by IPv4: each gateway has a public
// address.
func (d Deployment) egress() []Line {
	if d.NATGateways == 0 {
		return nil
	}
	n := float64(d.NATGateways * hoursPerMonth)
	return []Line{
		{"NAT gateways", fmt.Sprintf("%d × %d hours", d.NATGateways, hoursPerMonth), "NAT gateway", n},
		{"their public addresses", fmt.Sprintf("%d × %d hours", d.NATGateways, hoursPerMonth), "Public IPv4 address", n},
	}
}
