import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { roleFor } from '../domain/people/person.ts'
import { findOpenSignIn, hasFactor } from '../operator/people/half-sign-in.ts'
import { ownFactors } from '../operator/people/own-factors.ts'
import { requiresFactor } from '../operator/people/required-factor.ts'
import { findSignedIn, type SignedIn } from '../operator/people/sessions.ts'
import { MOST_FIELDS_BYTES, MOST_FORM_BYTES } from '../operator/size-limits.ts'
import { listTenants } from '../operator/tenants/list-tenants.ts'
import { senderAt } from '../platform/net/body-room.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { ConsoleParts } from './console-parts.ts'
import { findRoute } from './find-route.ts'
import { isOwnForm } from './own-form.ts'
import { forbiddenPage, insecurePage, missingPage, problemPage } from './pages/problem.ts'
import { foreignForm, readForm } from './read-form.ts'
import {
  type Answer,
  type Call,
  CONSOLE,
  type ConsoleRoute,
  type HalfCall,
  OWN_FACTORS,
  type PersonCall,
  type TenantCall,
} from './route.ts'
import { csrfMatches, csrfOf, readCookie } from './session-cookie.ts'

/** An answer with what the page around it is about, and a cookie for a browser that had none. */
export interface Answered {
  readonly answer: Answer
  readonly call: Call | PersonCall | TenantCall | undefined
  readonly newCookie?: string
}

/**
 * Answers one request: finds its route, who asks, and whether they may; then a form has to be our own. Problems that the person can do
 * something about become a page.
 */
export async function answerRequest(parts: ConsoleParts, request: IncomingMessage): Promise<Answered> {
  const { channel, address = '' } = parts.peerOf(request)
  if (channel === 'plain') return { answer: insecurePage(), call: undefined }
  const [target = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2)
  const found = findRoute(parts.routes, request.method ?? 'GET', target.slice(CONSOLE.length) || '/')
  const cookie = readCookie(request.headers.cookie, channel !== 'loopback')
  const newCookie = cookie === undefined ? randomBytes(32).toString('base64url') : undefined
  const token = cookie ?? newCookie ?? ''
  const standing = cookie === undefined ? undefined : await standingOf(parts, cookie)
  const { signedIn } = standing ?? {}
  const base: Call = {
    operator: signedIn ? parts.operator(signedIn) : parts.operator(),
    path: target,
    query: new URLSearchParams(search),
    isForm: request.method === 'POST',
    form: new URLSearchParams(),
    file: undefined,
    params: found.kind === 'route' ? found.params : {},
    browser: { address, userAgent: request.headers['user-agent'] ?? '' },
    csrf: csrfOf(token),
  }
  const answered = (answer: Answer, call: Answered['call'] = base): Answered => ({
    answer,
    call,
    ...(newCookie !== undefined && { newCookie }),
  })
  const person = standing && { ...base, ...standing.signedIn, tenants: standing.tenants }
  if (standing?.lacksFactor && !isForFactor(found)) return answered({ kind: 'redirect', location: CONSOLE + OWN_FACTORS })
  if (found.kind !== 'route') {
    const above =
      found.kind === 'method' && request.method === 'GET' ? pageAbove(parts.routes, target.slice(CONSOLE.length)) : undefined
    if (above !== undefined) return answered({ kind: 'redirect', location: CONSOLE + above })
    return answered(missingPage(found.kind === 'method' ? 405 : 404), person ?? base)
  }
  const { route } = found
  const half = route.access === 'half-signed-in' ? await halfCall(base, cookie) : undefined
  if (route.access === 'half-signed-in' ? !half : route.access !== 'anyone' && !person)
    return answered(signInFirst(request, base))
  const call = half ?? (person && tenantCall(person)) ?? person ?? base
  const refusal = refusalOf(route, call)
  if (refusal) return answered(refusal, 'tenant' in call ? call : (person ?? base))
  try {
    return answered(await run(route, await withForm(request, call, token, route)), call)
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return answered(problemPage(error, call), call)
  }
}

/** The page that the form of an act is on: who loads the address of an act again, say after a key was made, is brought there. */
function pageAbove(routes: ConsoleParts['routes'], path: string): string | undefined {
  for (let above = path; above.includes('/'); ) {
    above = above.slice(0, above.lastIndexOf('/'))
    if (above !== '' && findRoute(routes, 'GET', above).kind === 'route') return above
  }
  return undefined
}

/** Who is signed in, for which publishers they have a role, and whether they need a second factor before anything else. */
interface Standing {
  readonly signedIn: SignedIn
  readonly tenants: PersonCall['tenants']
  readonly lacksFactor: boolean
}

/**
 * The standing of a session; undefined: nobody is signed in by it. A session that began without a second factor is over once one is needed and its person has one: they sign in
 * again, with it.
 */
async function standingOf({ operator, idleMs }: ConsoleParts, cookie: string): Promise<Standing | undefined> {
  const context = operator()
  const signedIn = await findSignedIn(context, cookie, idleMs)
  if (!signedIn) return undefined
  const { person, session } = signedIn
  const publishers = await listTenants(context)
  const lacksFactor = session.factor === undefined && requiresFactor(context.config, publishers, person, session.way)
  if (lacksFactor && hasFactor(await ownFactors(context, signedIn))) return undefined
  const tenants = publishers.filter(({ tenant }) => roleFor(person, tenant) !== undefined)
  return { signedIn, tenants: lacksFactor ? [] : tenants, lacksFactor }
}

/** Whether a path is for somebody who needs a second factor and has none. */
function isForFactor(found: ReturnType<typeof findRoute>): boolean {
  return (
    found.kind === 'route' &&
    (found.route.access === 'anyone' || (found.route.access === 'signed-in' && found.route.withoutFactor === true))
  )
}

/** The call of a browser in which a second factor is asked for; undefined: in this one none is. */
async function halfCall(call: Call, cookie: string | undefined): Promise<HalfCall | undefined> {
  const open = cookie === undefined ? undefined : await findOpenSignIn(call.operator, cookie)
  return open && { ...call, open }
}

/** The call about the publisher that the path names; undefined when the person has no role there. */
function tenantCall(call: PersonCall): TenantCall | undefined {
  const tenantId = call.params.tenant
  const tenant = call.tenants.find((each) => each.tenant === tenantId)
  const role = tenantId === undefined ? undefined : roleFor(call.person, tenantId)
  if (!tenant || tenantId === undefined || role === undefined) return undefined
  return { ...call, tenant, tenantId, role, base: `${CONSOLE}/t/${tenantId}` }
}

/** Why a person may not use a route. A publisher without a role is as one that does not exist. */
function refusalOf({ access }: ConsoleRoute, call: Call | HalfCall | PersonCall | TenantCall): Answer | undefined {
  if (typeof access === 'string') return undefined
  if (!('tenant' in call)) return missingPage(404)
  return access.includes(call.role) ? undefined : forbiddenPage(call, access)
}

async function run(route: ConsoleRoute, call: Call | HalfCall | PersonCall | TenantCall): Promise<Answer> {
  if (route.access === 'anyone') return route.answer(call)
  if (route.access === 'half-signed-in' && 'open' in call) return route.answer(call)
  if (route.access === 'signed-in' && 'person' in call) return route.answer(call)
  if (typeof route.access !== 'string' && 'tenant' in call) return route.answer(call)
  throw new Error(`${route.path} was called without what it needs`)
}

/** The call with the fields of its form. Throws PERMISSION_DENIED for a form that none of our pages sent to this browser. */
async function withForm<T extends Call | PersonCall>(
  request: IncomingMessage,
  call: T,
  token: string,
  { hasLargeForm = false }: ConsoleRoute,
): Promise<T> {
  if (request.method !== 'POST') return call
  if (!isOwnForm(request)) throw foreignForm()
  const person = 'person' in call ? call.person : undefined
  const { form, file } = await readForm(request, {
    mayHaveParts: person !== undefined,
    maxBytes: hasLargeForm && person ? MOST_FORM_BYTES : MOST_FIELDS_BYTES,
    sender: person ? { kind: 'person', id: person.personId } : senderAt(call.browser.address),
    isOwn: (given) => csrfMatches(token, given),
  })
  return { ...call, form, file }
}

/** After sign-in the person is where they wanted to be; after a form, at its page. */
function signInFirst({ method, url = '' }: IncomingMessage, { path }: Call): Answer {
  const next = method === 'GET' ? url : path
  return { kind: 'redirect', location: `${CONSOLE}/sign-in?next=${encodeURIComponent(next.slice(0, 1000))}` }
}
