package outbound

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

// refusalDelay is how long a host that leads nowhere takes to be refused, and how long its
// name may take to be looked up: two tries of a resolver.
const refusalDelay = 6 * time.Second

// dialer connects to permitted addresses. Of other hosts it does not tell which of
// them exist: neither by what it says, nor by when.
type dialer struct {
	allows         AllowFunc
	connectTimeout time.Duration // bounds connecting
	resolver       *net.Resolver
	refusalDelay   time.Duration
}

// dial connects to a host and port.
func (d dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	began := time.Now()
	lookup, giveUp := context.WithCancel(ctx)
	defer giveUp()
	var found atomic.Bool // an address of the host that may be connected to
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

// refuse says that a host leads nowhere, when the time for that has come.
func (d dialer) refuse(ctx context.Context, began time.Time) error {
	select {
	case <-time.After(time.Until(began.Add(d.refusalDelay))):
	case <-ctx.Done():
	}
	return rejectHost()
}
