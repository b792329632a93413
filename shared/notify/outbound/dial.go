package outbound

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

// refusalDelay is the time after which an unreachable host is refused, and the limit for
// resolving its name: two attempts of a resolver.
const refusalDelay = 6 * time.Second

// dialer connects to allowed addresses. For other hosts it does not reveal which of them
// exist, neither by the error nor by its timing.
type dialer struct {
	allows         AllowFunc
	connectTimeout time.Duration // limit for connecting
	resolver       *net.Resolver
	refusalDelay   time.Duration
}

// dial connects to a host and port.
func (d dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	began := time.Now()
	lookup, giveUp := context.WithCancel(ctx)
	defer giveUp()
	var found atomic.Bool // the host has an allowed address
	timer := time.AfterFunc(d.refusalDelay, func() {
		if !found.Load() {
			giveUp()
		}
	})
	defer timer.Stop()
	dial := net.Dialer{Timeout: d.connectTimeout, Resolver: d.resolver, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil || !d.allows(target.Addr()) {
			return rejectHost()
		}
		found.Store(true)
		return nil
	}}
	conn, err := dial.DialContext(lookup, network, address)
	if err != nil && !found.Load() {
		return nil, d.refuse(ctx, began)
	}
	return conn, err
}

// refuse returns the error of an unreachable host after refusalDelay.
func (d dialer) refuse(ctx context.Context, began time.Time) error {
	select {
	case <-time.After(time.Until(began.Add(d.refusalDelay))):
	case <-ctx.Done():
	}
	return rejectHost()
}
