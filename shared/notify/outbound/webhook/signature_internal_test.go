package webhook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The values are from the tests of the Standard Webhooks reference libraries.
func TestSignatureMatchesSpecification(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	signed, err := signatures([]string{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), `{"test": 2432232314}`)
	require.NoError(t, err)
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", signed)
	_, err = signatures([]string{"whsec_%%secret%%"}, "e", time.Unix(0, 0), "")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret%%")
}
