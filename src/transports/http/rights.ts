import type { ServerResponse } from 'node:http'
import { grantStatus, presentTerms } from '../../domain/rights/grant.ts'
import { presentSubmission } from '../../domain/rights/review-creative.ts'
import type { GrantAttestations } from '../../features/brands/grant-attestations.ts'
import type { Db } from '../../store/database.ts'
import { findSubmissionAnywhere } from '../../store/rights/rights-creatives.ts'
import { findGrant, findGrantAnywhere } from '../../store/rights/rights-grants.ts'
import { respond, respondJson } from './respond.ts'
import type { Route } from './server.ts'

/**
 * `GET /rights/{rights_id}`: whether a grant is in force, for those who serve a creative made under it (AdCP core/rights-constraint.json,
 * `verification_url`): 200 with its status, 404 once it is revoked. The id is the permission.
 */
export function grantRoute(db: Db, clock: () => Date): Route {
  return async (request, response, [grantId = '']) => {
    if (!reads(request.method, response)) return
    const now = clock()
    const grant = (await findGrantAnywhere(db, grantId))?.grant
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

const DIGEST = /^sha256:[a-f0-9]{64}$/

/**
 * `GET /rights/{rights_id}/status?constraint_digest=…`: what became of the grant of a credential, as a JWS of its holder, for those who verify it. The id is
 * the permission.
 */
export function grantStatusRoute(db: Db, attestations: GrantAttestations, clock: () => Date): Route {
  return async (request, response, [grantId = '']) => {
    if (!reads(request.method, response)) return
    const digest = new URL(request.url ?? '', 'http://localhost').searchParams.get('constraint_digest') ?? ''
    if (!DIGEST.test(digest))
      return respondJson(response, 400, { error: 'constraint_digest is missing: send the content_digest of the credential' })
    const found = await findGrantAnywhere(db, grantId)
    const attestation = found && (await attestations.of(found.tenantId, found.grant.agreement.offering.brand_id))
    const status = found && (await attestation?.status(found.grant, digest, clock()))
    if (status === undefined) return respondJson(response, 404, { error: 'there is no such grant, or nobody attests it' })
    respond(response, 200, { type: 'application/jwt', body: status })
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
