import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long a refused upload is still read, so that its sender gets to the reply before the connection goes. */
const LINGER_MS = 500

/**
 * Ends the reply to a request whose body is not wanted: discards what still comes for a moment, and closes the connection. Closing at once
 * would reset it, and most clients then lose the reply. Its head must say `Connection: close`.
 */
export function endAndClose(request: IncomingMessage, response: ServerResponse): void {
  const close = () => {
    clearTimeout(timer)
    response.end(() => request.socket.destroySoon())
  }
  const timer = setTimeout(close, LINGER_MS)
  request.once('end', close).once('close', close).resume()
}
