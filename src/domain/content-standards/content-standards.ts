import { AdcpError } from '../../protocol/errors.ts'
import type { Policy } from '../policy.ts'
import type { Channel } from '../product/offer.ts'
import type { Artifact } from './artifact.ts'

/** Where standards hold. */
export interface StandardsScope {
  readonly countries_all?: string[]
  readonly channels_any?: Channel[]
  readonly languages_any?: string[]
  readonly description?: string
}

/** Judged examples that come before any rule. */
export interface Exemplars {
  readonly pass?: readonly Artifact[]
  readonly fail?: readonly Artifact[]
  /** Addresses of judged pages. They are not fetched: what comes from the same address is judged alike. */
  readonly passUrls?: readonly string[]
  readonly failUrls?: readonly string[]
}

export interface StandardsDocument {
  readonly scope: StandardsScope
  readonly policies: readonly Policy[]
  readonly exemplars: Exemplars
  readonly ext?: object
}

/** One version of an agent's content standards. */
export interface ContentStandards {
  readonly standardsId: string
  readonly version: number
  readonly document: StandardsDocument
  readonly createdAt: string
  readonly updatedAt: string
}

/** A judged page, by its address or as it was read. */
type DeclaredExemplar = { readonly type: 'url'; readonly value: string } | Artifact

interface DeclaredExemplars {
  readonly pass?: readonly DeclaredExemplar[]
  readonly fail?: readonly DeclaredExemplar[]
}

/** Parts of standards that are new. */
interface Change {
  readonly scope?: StandardsScope
  readonly registry_policy_ids?: readonly string[]
  readonly policies?: readonly Policy[]
  readonly calibration_exemplars?: DeclaredExemplars
  readonly ext?: object
}

/**
 * The first version's document. Throws UNSUPPORTED_FEATURE for what only a policy registry could answer, VALIDATION_ERROR for
 * policy ids that are not flat or repeat. Source: AdCP create-content-standards-request.json.
 */
export function newDocument(request: Change): StandardsDocument {
  return changeStandards({ scope: {}, policies: [], exemplars: {} }, request)
}

/** The next version's document: parts that the change names are replaced whole. Throws as {@link newDocument}. */
export function changeStandards(current: StandardsDocument, change: Change): StandardsDocument {
  if ((change.registry_policy_ids?.length ?? 0) > 0) {
    throw new AdcpError('UNSUPPORTED_FEATURE', 'no policy registry is connected here', {
      field: 'registry_policy_ids',
      suggestion: 'send the text of these policies in `policies`',
    })
  }
  const ext = change.ext ?? current.ext
  return {
    scope: change.scope ?? current.scope,
    policies: change.policies ? checkedPolicies(change.policies) : current.policies,
    exemplars: change.calibration_exemplars ? exemplarsOf(change.calibration_exemplars) : current.exemplars,
    ...(ext && { ext }),
  }
}

/** Inline ids must not look like the registry's (AdCP create-content-standards-request.json, `policies`). */
function checkedPolicies(policies: readonly Policy[]): readonly Policy[] {
  const seen = new Set<string>()
  for (const [index, { policy_id }] of policies.entries()) {
    const field = `policies[${index}].policy_id`
    if (policy_id.trim() === '' || /[:/]/.test(policy_id)) {
      throw new AdcpError('VALIDATION_ERROR', `${field} must be a flat name, without colons or slashes`, { field })
    }
    if (seen.has(policy_id)) throw new AdcpError('VALIDATION_ERROR', `${field} repeats an earlier one`, { field })
    seen.add(policy_id)
  }
  return policies
}

function exemplarsOf({ pass, fail }: DeclaredExemplars): Exemplars {
  return {
    ...(pass && { pass: artifactsOf(pass), passUrls: addressesOf(pass) }),
    ...(fail && { fail: artifactsOf(fail), failUrls: addressesOf(fail) }),
  }
}

function artifactsOf(exemplars: readonly DeclaredExemplar[]): readonly Artifact[] {
  return exemplars.flatMap((exemplar) => ('artifact_id' in exemplar ? [withoutAccess(exemplar)] : []))
}

function addressesOf(exemplars: readonly DeclaredExemplar[]): readonly string[] {
  return exemplars.flatMap((exemplar) => ('artifact_id' in exemplar ? [] : [exemplar.value]))
}

/** Access data of assets is a secret of their server: it is neither stored nor shown. */
function withoutAccess(artifact: Artifact): Artifact {
  const assets = artifact.assets.map((asset) => {
    if (!('access' in asset)) return asset
    const { access: _access, ...rest } = asset
    return rest
  })
  return { ...artifact, assets }
}
