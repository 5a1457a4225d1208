import { isActive, type ProviderRegistration } from '../provider-registration.ts'
import type { ContextRequest } from './context-messages.ts'

/** Whether a provider is asked about the context of a property (router architecture, "Context Match fan-out"). */
export function servesContext(provider: ProviderRegistration, { property_rid }: Pick<ContextRequest, 'property_rid'>): boolean {
  const { context_match = false, properties } = provider
  return isActive(provider) && context_match && (properties === undefined || properties.includes(property_rid))
}

/**
 * The request as providers see it: an artifact without `access` objects, and without what may be a credential in its URLs: user information, query and
 * fragment (context-match-request.json, `artifact`).
 */
export function forwardedContext<Request extends ContextRequest>(request: Request): Request {
  return request.artifact === undefined ? request : { ...request, artifact: withoutCredentials(request.artifact) }
}

function withoutCredentials<Value>(value: Value): Value {
  // Depth and size of a request are bounded where it is parsed.
  return JSON.parse(JSON.stringify(value), function (name, member: unknown) {
    if (name === 'access' && !Array.isArray(this)) return undefined
    return typeof member === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(member) ? publicUrl(member) : member
  })
}

function publicUrl(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return text
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  return url.href
}
