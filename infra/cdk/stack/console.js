// The page itself at each address that is a screen's: at those whose last part is no file's name.
function handler(event) {
  var request = event.request
  var last = request.uri.substring(request.uri.lastIndexOf('/') + 1)
  if (last.indexOf('.') < 0) request.uri = '/index.html'
  return request
}
