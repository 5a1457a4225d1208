import type { IncomingMessage } from 'node:http'

/**
 * Whether one of our own pages sent a form, as its browser says: `Sec-Fetch-Site` in all browsers of today, else an `Origin` with our host (Fetch
 * Metadata; Fetch, "Origin" header). A request with neither comes from no form.
 */
export function isOwnForm({ headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
}
