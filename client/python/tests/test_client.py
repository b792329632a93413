"""Tests without an installation: python3 -m unittest discover client/python/tests."""

import http.server
import json
import threading
import time
import unittest

from loadbay import ApiError, Client, ConnectionFailed, WebhookError, verify_webhook
from loadbay.webhooks import sign_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class WebhookTest(unittest.TestCase):
    def test_signature_matches_specification(self):
        signature = sign_webhook(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
        self.assertEqual(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

    def test_messages(self):
        def headers(age=0, secret=SECRET):
            now = int(time.time()) - age
            return {"Webhook-Id": "e1", "webhook-timestamp": str(now), "webhook-signature": "v1,AAAA " + sign_webhook(secret, "e1", now, b"{}")}

        verify_webhook(SECRET, headers(), b"{}")
        for sent, body in [(headers(), b"[]"), (headers(301), b"{}"), (headers(-302), b"{}"), (headers(0, "whsec_AAAA"), b"{}"), ({}, b"{}")]:
            with self.assertRaises(WebhookError):
                verify_webhook(SECRET, sent, body)
        with self.assertRaises(WebhookError) as raised:
            verify_webhook("whsec_%hidden%", headers(), b"{}")
        self.assertNotIn("hidden", str(raised.exception))


class TransportTest(unittest.TestCase):
    def setUp(self):
        test = self
        test.requests, test.answers = [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                test.requests.append((self.command, self.path, dict(self.headers)))
                status, headers, body = test.answers.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def test_pages_of_a_list(self):
        self.answers = [(200, {"Link": '</api/x?cursor=a>; rel="next", </api/x>; rel="first"'}, [1, 2]), (200, {}, [3])]
        self.assertEqual(list(Client(self.url, "t").pages("/api/x", {"size": 2})), [1, 2, 3])
        self.assertEqual([path for _, path, _ in self.requests], ["/api/x?size=2", "/api/x?cursor=a"])
        self.assertEqual(self.requests[1][2]["Authorization"], "Bearer t")

    def test_api_keys_have_a_path_of_their_own(self):
        self.answers = [(200, {}, {}), (200, {}, {})]
        client = Client(self.url, lambda: "lbk_1_x")
        client.request("GET", "/api/me")
        client.request("GET", "/key/api/me")
        self.assertEqual([path for _, path, _ in self.requests], ["/key/api/me", "/key/api/me"])

    def test_repetitions(self):
        busy = (503, {"Retry-After": "0"}, {"message": "Service Unavailable"})
        self.answers = [busy, busy, (200, {}, {"ok": True})]
        self.assertEqual(Client(self.url).request("POST", "/api/x", body={}), {"ok": True})
        self.answers = [(500, {}, {"code": "INTERNAL", "detail": "Internal error."})]
        with self.assertRaises(ApiError) as raised:
            Client(self.url).request("POST", "/api/x", body={})
        self.assertEqual((raised.exception.status, raised.exception.code), (500, "INTERNAL"))

    def test_errors(self):
        self.answers = [(400, {}, {"code": "PARAMETER_INVALID", "detail": "No.", "errors": [{"field": "size", "code": "X", "message": "Too large."}], "requestId": "r1"})]
        with self.assertRaises(ApiError) as raised:
            Client(self.url).request("GET", "/api/x")
        self.assertEqual(str(raised.exception), "No.\n  size: Too large.")
        self.assertEqual(raised.exception.request_id, "r1")
        self.answers = [(302, {"Location": "https://elsewhere.example"}, None)]
        with self.assertRaises(ApiError):
            Client(self.url, "t").request("GET", "/api/x")
        with self.assertRaises(ConnectionFailed):
            Client("http://127.0.0.1:1", attempts=1).request("GET", "/api/x")
        with self.assertRaises(ValueError):
            Client("loadbay.example.org")
        with self.assertRaises(ValueError):
            Client(self.url, "t").request("GET", "https://elsewhere.example/api/x")


if __name__ == "__main__":
    unittest.main()
