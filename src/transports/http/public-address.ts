import type { IncomingMessage } from 'node:http'

/**
 * Gives a request the public address of the deployment, whatever host and proxy headers it came with. Whom the proxy named as the caller
 * stays: failed logins are counted by that.
 */
export function asPublic(request: IncomingMessage, origin: string): void {
  const { host, protocol } = new URL(origin)
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith('x-forwarded-') && name !== 'x-forwarded-for') delete request.headers[name]
  }
  request.headers.host = host
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers['x-forwarded-host'] = host
}

/** Path and query of a request's target. A query may hold further question marks. */
export function partsOf(target = '/'): readonly [path: string, query: string] {
  const [path = ''] = target.split('?', 1)
  return [path, target.slice(path.length + 1)]
}
