import type { IncomingMessage } from 'node:http'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { findCheckFiles, listChecks } from '../../store/seller-check/seller-checks.ts'
import { readsOnly, respond, respondJson } from './respond.ts'
import type { Route } from './server.ts'

/** A report is not changed under its period; the newest one is. */
const CACHE = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' }
/** The report is a page without scripts. */
const PAGE_POLICY = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }

/** Path of the published checks: all, or a file of one of them. */
export const OWN_CHECKS_PATH = /^\/checks(?:\/(latest|\d{4}-\d{2}-\d{2})\.(html|json\.jws|key\.json|json))?$/

/**
 * `GET /checks`: what the last checks of this agent by itself held and broke, as JSON. `GET /checks/PERIOD.json`, `.json.jws`, `.key.json` and `.html`: the
 * signed report, its detached JWS (RFC 7515, appendix F), the key, and the report as a page; `latest` for the newest. `limit` counts a request by its address and throws RATE_LIMITED.
 */
export function ownChecksRoute(db: Db, limit: (request: IncomingMessage) => Promise<void>): Route {
  return async (request, response, [asked, form]) => {
    if (!readsOnly(request, response)) return
    try {
      await limit(request)
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      const { status = 429, headers } = error.http ?? {}
      return respondJson(response, status, { error: { code: error.code, message: error.message } }, headers)
    }
    if (asked === undefined || form === undefined) {
      const checks = (await listChecks(db)).map(({ period, startedAt, endedAt, held, broken }) => ({
        ...{ period, started_at: startedAt, ended_at: endedAt, held, broken },
        files: ['html', 'json', 'json.jws', 'key.json'].map((each) => `/checks/${period}.${each}`),
      }))
      return respondJson(response, 200, { checks }, CACHE)
    }
    const period = asked === 'latest' ? (await listChecks(db))[0]?.period : asked
    const files = period === undefined ? undefined : await findCheckFiles(db, period)
    if (!files) return respondJson(response, 404, { error: 'there is no such check; /checks lists those that there are' })
    const { report, signature, publicKey, page } = files
    if (form === 'html')
      respond(response, 200, { type: 'text/html; charset=utf-8', body: page, headers: { ...CACHE, ...PAGE_POLICY } })
    else if (form === 'json') respond(response, 200, { type: 'application/json', body: report, headers: CACHE })
    else if (form === 'key.json') respond(response, 200, { type: 'application/jwk+json', body: publicKey, headers: CACHE })
    else respond(response, 200, { type: 'application/jose', body: signature, headers: CACHE })
  }
}
