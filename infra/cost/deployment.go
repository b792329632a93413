package cost

import "fmt"

// hours of a month, as AWS counts them.
const hours = 730

// Deployment is what there is to pay for whether it is used or not: counted in the
// templates of a stage.
type Deployment struct {
	Name                     string
	AlarmMetrics, Dashboards int
	Keys, Secrets            int
	Mappings                 int // of queues to functions
	Endpoints, NATGateways   int // addresses by zone
	Proxies, ProxyCPUs       int
	Instance                 string // the item of the database's price; "" where it sleeps
	Storage                  string // the item of its storage's price
	StorageGB                float64
	WakeMiB                  int     // memory of the function that runs every minute
	Rarely                   int     // runs a night that wake the database
	AwakeAfter               float64 // hours until the database sleeps again
}

// What an idle month is assumed to take, beyond what is counted.
const (
	wakeSeconds  = 0.05   // of a call that reads one item
	wakeLogs     = 600e-9 // GB that Lambda writes about it
	pollers      = 5      // of a mapping, at least
	pollSeconds  = 20     // that each waits for a message
	nightSeconds = 60     // that purge and reconcile are at work together
	smallestACU  = 0.5    // while awake without load
)

// Idle is a month without any work.
func (d Deployment) Idle() Bill {
	const wakes = hours * 60
	lines := d.database()
	if d.Endpoints > 0 {
		lines = append(lines, Line{"interface endpoints", fmt.Sprintf("%d addresses × %d hours", d.Endpoints, hours), "Interface endpoint", float64(d.Endpoints * hours)})
	}
	lines = append(lines, d.wayOut()...)
	polls := float64(d.Mappings) * pollers * hours * 3600 / pollSeconds / 1e6
	return Bill{Name: d.Name, Lines: append(lines,
		Line{"alarms", fmt.Sprintf("%d metrics", d.AlarmMetrics), "CloudWatch, metric of an alarm", float64(d.AlarmMetrics)},
		Line{"dashboard", fmt.Sprint(d.Dashboards), "CloudWatch, dashboard", float64(d.Dashboards)},
		Line{"key", fmt.Sprint(d.Keys), "KMS, key", float64(d.Keys)},
		Line{"secrets", fmt.Sprint(d.Secrets), "Secrets Manager", float64(d.Secrets)},
		Line{"SQS", fmt.Sprintf("%d mappings × %d pollers, every %d s", d.Mappings, pollers, pollSeconds), "SQS, standard", polls},
		Line{"wake", fmt.Sprintf("%d × ≈ %g s × %d MiB", wakes, wakeSeconds, d.WakeMiB), "Lambda, arm64", wakes * wakeSeconds * float64(d.WakeMiB) / 1024},
		Line{"its requests", fmt.Sprint(wakes), "Lambda, requests", wakes / 1e6},
		Line{"its reads", fmt.Sprint(wakes), "DynamoDB, on demand, reads", wakes / 1e6},
		Line{"its traces", fmt.Sprint(wakes), "X-Ray", wakes / 1e6},
		Line{"its logs", fmt.Sprintf("%d × ≈ 600 B", wakes), "CloudWatch, logs", wakes * wakeLogs},
	)}
}

// database is what the database costs that nobody uses.
func (d Deployment) database() []Line {
	storage := Line{"its storage", fmt.Sprintf("%g GB", d.StorageGB), d.Storage, d.StorageGB}
	if d.Instance != "" {
		return append([]Line{{"database", fmt.Sprintf("%d hours", hours), d.Instance, hours}, storage}, d.proxy()...)
	}
	awake := 30 * float64(d.Rarely) * (nightSeconds/3600.0 + d.AwakeAfter)
	return []Line{
		{"database", fmt.Sprintf("30 nights × (%d s + %g min) × %g ACU", nightSeconds, d.AwakeAfter*60, smallestACU), "Aurora Serverless v2", awake * smallestACU},
		storage,
	}
}

func (d Deployment) proxy() []Line {
	if d.Proxies == 0 {
		return nil
	}
	return []Line{{"RDS Proxy", fmt.Sprintf("%d vCPU × %d hours", d.ProxyCPUs, hours), "RDS Proxy", float64(d.ProxyCPUs * hours)}}
}

// wayOut is the way to the internet by IPv4: each gateway has a public address.
func (d Deployment) wayOut() []Line {
	if d.NATGateways == 0 {
		return nil
	}
	n := float64(d.NATGateways * hours)
	return []Line{
		{"NAT gateways", fmt.Sprintf("%d × %d hours", d.NATGateways, hours), "NAT gateway", n},
		{"their public addresses", fmt.Sprintf("%d × %d hours", d.NATGateways, hours), "Public IPv4 address", n},
	}
}
