import type { ServerResponse } from 'node:http'
import { grantStatus, presentTerms } from '../../domain/rights/grant.ts'
import { presentSubmission } from '../../domain/rights/review-creative.ts'
import type { Db } from '../../store/database.ts'
import { findSubmissionAnywhere } from '../../store/rights/rights-creatives.ts'
import { findGrant, findGrantAnywhere } from '../../store/rights/rights-grants.ts'
import { respondJson } from './respond.ts'
import type { Route } from './server.ts'

/**
 * `GET /rights/{rights_id}`: whether a grant is in force, for those who serve a creative made under it (AdCP core/rights-constraint.json,
 * `verification_url`): 200 with its status, 404 once it is revoked. The id is the permission.
 */
export function grantRoute(db: Db, clock: () => Date): Route {
  return async (request, response, [grantId = '']) => {
    if (!reads(request.method, response)) return
    const now = clock()
    const grant = await findGrantAnywhere(db, grantId)
    if (!grant || grantStatus(grant, now) === 'revoked')
      return respondJson(response, 404, { error: 'there is no such grant, or it was revoked' })
    const { uses, start_date, end_date, impression_cap } = presentTerms(grant.agreement)
    respondJson(response, 200, {
      rights_id: grantId,
      status: grantStatus(grant, now),
      uses,
      start_date,
      ...(end_date !== undefined && { end_date }),
      ...(impression_cap !== undefined && { impression_cap }),
      ...(grant.revokedAt !== undefined && { revoked_from: grant.revokedAt }),
    })
  }
}

/** `GET /rights/creatives/{id}`: how the review of a creative goes (AdCP creative-approval-response.json, `status_url`). The id is the permission. */
export function submissionRoute(db: Db, origin: string): Route {
  return async (request, response, [submissionId = '']) => {
    if (!reads(request.method, response)) return
    const creative = await findSubmissionAnywhere(db, submissionId)
    const grant = creative && (await findGrant(db, creative.tenantId, creative.grantId))
    if (!creative || !grant) return respondJson(response, 404, { error: 'nothing was submitted under this id' })
    const statusUrl = `${origin}/rights/creatives/${submissionId}`
    respondJson(
      response,
      200,
      presentSubmission(creative, { statusUrl, responseTime: grant.agreement.offering.clearance?.response_time }),
    )
  }
}

function reads(method: string | undefined, response: ServerResponse): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  respondJson(response, 405, { error: 'only GET is served here' }, { Allow: 'GET, HEAD' })
  return false
}
