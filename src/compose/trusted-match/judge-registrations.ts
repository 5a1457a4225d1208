import {
  faultyRegistrations,
  type ProviderRegistration,
  signedEndpoint,
} from '../../domain/trusted-match/provider-registration.ts'
import { requirePublicEndpoint } from '../../platform/net/provider-client.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Schemas } from '../../protocol/schemas.ts'

/** A registration that a router does not take. */
export interface RefusedRegistration {
  readonly providerId: string
  /** A sentence without its subject's name: what is wrong. */
  readonly reason: string
}

export interface JudgedRegistrations {
  readonly registrations: readonly ProviderRegistration[]
  readonly refused: readonly RefusedRegistration[]
}

/**
 * Parts registrations into those that a router takes and those that it does not: what breaks the schema, an endpoint that this router may not connect to
 * (`development`: one of this machine is permitted), and what is registered already. One that is refused says nothing about the others.
 */
export function judgeRegistrations(
  providers: readonly unknown[],
  { schemas, development }: { readonly schemas: Schemas; readonly development: boolean },
): JudgedRegistrations {
  const validate = schemas.validator('trusted-match/provider-registration.json')
  const refused: RefusedRegistration[] = []
  const valid: ProviderRegistration[] = []
  for (const provider of providers) {
    const [issue] = validate(provider)
    const reason = isRegistration(provider, issue) ? endpointFault(provider, development) : undefined
    if (!isRegistration(provider, issue))
      refused.push({
        providerId: idOf(provider),
        reason: `${fieldOf(issue?.pointer ?? '') || 'the registration'} ${issue?.message}`,
      })
    else if (reason !== undefined) refused.push({ providerId: provider.provider_id, reason })
    else valid.push(provider)
  }
  const faults = new Map<ProviderRegistration, string>()
  for (const { provider, fault } of faultyRegistrations(valid)) if (!faults.has(provider)) faults.set(provider, fault)
  for (const [{ provider_id: providerId }, reason] of faults) refused.push({ providerId, reason })
  return { registrations: valid.filter((each) => !faults.has(each)), refused }
}

/** The schema describes {@link ProviderRegistration}. */
function isRegistration(_provider: unknown, issue: unknown): _provider is ProviderRegistration {
  return issue === undefined
}

function idOf(provider: unknown): string {
  return isObject(provider) && typeof provider.provider_id === 'string' ? provider.provider_id : 'a registration'
}

function endpointFault({ endpoint }: ProviderRegistration, development: boolean): string | undefined {
  // What is no URL at all is said by the rules of registrations.
  if (!URL.canParse(endpoint)) return undefined
  try {
    requirePublicEndpoint(signedEndpoint(endpoint), development)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is no public https address'
    return development ? reason : `${reason}; addresses of this machine need development: true in the file of the router`
  }
}
