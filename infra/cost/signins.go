package cost

import "fmt"

// The assumed monthly usage of a person at the console: tokens are refreshed every 15 minutes for
// 8 hours on 20 days, and Cognito calls a function each time.
const (
	tokensPerMonth = 20 * 8 * 4
	tokenSeconds   = 0.02
	tokenGiB       = 128.0 / 1024
)

// SignIns returns the cost of n people who sign in within the month at the stage's user pool.
func SignIns(n float64) Bill {
	signed := n * tokensPerMonth
	return Bill{Name: fmt.Sprintf("%.0f people who sign in, with -c auth=cognito", n), Lines: []Line{
		{"people", fmt.Sprintf("%.0f of the month", n), "Cognito, Essentials", n},
		{"their tokens", fmt.Sprintf("%.0f × ≈ %g s × 128 MiB", signed, tokenSeconds), "Lambda, arm64", signed * tokenSeconds * tokenGiB},
		{"calls for them", fmt.Sprintf("%.0f", signed), "Lambda, requests", signed / 1e6},
		{"logs of these", fmt.Sprintf("%.0f × ≈ 600 B", signed), "CloudWatch, logs", signed * wakeLogGB},
	}}
}
