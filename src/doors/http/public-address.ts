import type { IncomingMessage } from 'node:http'

/** Gives a request the public address of the deployment, whatever host and proxy headers it came with. */
export function asPublic(request: IncomingMessage, origin: string): void {
  const { host, protocol } = new URL(origin)
  for (const name of Object.keys(request.headers)) if (name.startsWith('x-forwarded-')) delete request.headers[name]
  request.headers.host = host
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers['x-forwarded-host'] = host
}
