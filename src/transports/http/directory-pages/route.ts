import type { IncomingMessage, ServerResponse } from 'node:http'
import { html, type Part } from '../../../domain/html.ts'
import { asRegistryRefusal, RegistryRefusal } from '../../../features/registry/refusal.ts'
import type { Registry } from '../../../features/registry/registry.ts'
import { JsonRefused, parseJson } from '../../../platform/decode/parse-json.ts'
import { senderAt } from '../../../platform/net/body-room.ts'
import { isObject } from '../../../protocol/is-object.ts'
import { BodyIncomplete, BodyTooLarge, readBody } from '../read-body.ts'
import type { RegistryRouteOptions } from '../registry.ts'
import { redirect, respondJson, respondPage } from '../respond.ts'
import type { Route } from '../server.ts'
import { lookupForm } from './forms.ts'
import { layout, PAGE_POLICY } from './layout.ts'
import { DIRECTORY_PAGES, type DirectoryPage } from './pages.ts'
import type { Body } from './read.ts'

/** `/directory` and the pages below it. */
export const DIRECTORY_PAGES_PATH = /^\/directory(?:\/([a-z-]{1,30}))?$/

/** A pasted file, percent-encoded by the browser: a manager's of some megabytes is validated by its domain instead. */
const MAX_PASTE_BYTES = 1024 * 1024

export type DirectoryPagesOptions = Pick<RegistryRouteOptions, 'registry' | 'peerOf' | 'log' | 'newRequestId'>

interface Reply {
  readonly status: number
  readonly title: string
  readonly body: Body
  readonly content: Part
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Pages for people about the directory: who authorises whom, why, since when; validation of a file by its domain or pasted; supply paths.
 * They run no script. A client that does not ask for HTML gets the same answers as JSON, at the same addresses.
 */
export function directoryPagesRoute(options: DirectoryPagesOptions): Route {
  return async (request, response, [name]) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const address = options.peerOf(request).address ?? ''
    const ask = (id: string, args: Body) => perform(options, id, args, address)
    const page = name === undefined ? undefined : DIRECTORY_PAGES[name]
    try {
      if (request.method === 'POST' && name === 'validate') {
        const asked = await readPaste(request, address)
        const body = await ask('validateAdagentsDocument', asked.args)
        write(request, response, replyOf(DIRECTORY_PAGES.validate, body, asked.shown))
        return
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        const allow = name === 'validate' ? 'GET, HEAD, POST' : 'GET, HEAD'
        throw new RegistryRefusal(405, 'method_not_allowed', `only ${allow} is served here`, {}, { Allow: allow })
      }
      if (name === undefined) home(request, response, url)
      else if (page === undefined) throw new RegistryRefusal(404, 'not_found', 'there is no such page')
      else {
        const asked = argumentsOf(page, url)
        const isAsked = page.required.every((each) => asked[each] !== undefined)
        write(request, response, replyOf(page, isAsked ? await ask(page.operation, asked) : undefined, asked))
      }
    } catch (error) {
      if (error instanceof BodyIncomplete) response.destroy()
      else write(request, response, refusalReply(error, options))
    }
  }
}

async function perform(
  { registry, newRequestId }: DirectoryPagesOptions,
  id: string,
  args: Body,
  address: string,
): Promise<Body> {
  const { body } = await registry.perform(operationOf(registry, id), args, {
    address,
    requestId: newRequestId(),
    transport: 'http',
  })
  return { ...body }
}

function operationOf(registry: Registry, id: string) {
  const operation = registry.operations.find((each) => each.id === id)
  if (!operation) throw new Error(`the registry has no operation ${id}`)
  return operation
}

/** The parameters that have a value, and only those that the page knows. */
function argumentsOf({ parameters }: DirectoryPage, { searchParams }: URL): Body {
  return Object.fromEntries(
    parameters.flatMap((name) => (searchParams.get(name)?.trim() ? [[name, searchParams.get(name)?.trim()]] : [])),
  )
}

/** The search, or the way to the page that answers it. */
function home(request: IncomingMessage, response: ServerResponse, { searchParams }: URL): void {
  const asked = searchParams.get('q')?.trim()
  if (asked) {
    const [page, name] = asked.includes('://') ? ['agent', 'agent_url'] : ['publisher', 'domain']
    redirect(response, `/directory/${page}?${name}=${encodeURIComponent(asked.slice(0, 2048))}`)
    return
  }
  const body = { pages: Object.keys(DIRECTORY_PAGES).map((name) => `/directory/${name}`) }
  const content = html`<p>Which publishers authorise a sales agent, and which agents a publisher authorises.</p>${lookupForm()}`
  write(request, response, { status: 200, title: 'Directory', body, content })
}

function replyOf(page: DirectoryPage | undefined, body: Body | undefined, asked: Body): Reply {
  if (!page) throw new Error('there is no such page')
  const content = page.view(body, asked)
  const missing = { parameters: page.parameters, required: page.required }
  if (body === undefined && content === undefined) {
    throw new RegistryRefusal(400, 'invalid_request', `this page needs ${page.required.join(', ')}`, missing)
  }
  return { status: 200, title: page.title(asked), body: body ?? missing, content }
}

/** What a form or a program sends to be validated. Throws what reading and parsing throw, RegistryRefusal for another kind of body. */
async function readPaste(request: IncomingMessage, address: string) {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  const bytes = await readBody(request, { maxBytes: MAX_PASTE_BYTES, sender: senderAt(address) })
  if (type === 'application/json') {
    const args = parseJson(bytes)
    if (!isObject(args))
      throw new RegistryRefusal(400, 'invalid_request', 'the body must be a JSON object with the member document')
    return { args, shown: {} }
  }
  if (type !== 'application/x-www-form-urlencoded') {
    throw new RegistryRefusal(415, 'unsupported_type', 'send application/json or a form')
  }
  const form = new URLSearchParams(bytes.toString('utf8'))
  const [text, domain] = [form.get('document') ?? '', form.get('domain')?.trim() ?? '']
  const args = { document: parseJson(Buffer.from(text)), ...(domain !== '' && { domain }) }
  return { args, shown: { text, domain } }
}

function refusalReply(error: unknown, { log }: DirectoryPagesOptions): Reply {
  const refusal = asRegistryRefusal(error) ?? bodyRefusal(error)
  if (!refusal) log.error({ err: error }, 'a page of the directory failed')
  const { status, message, body, headers } =
    refusal ?? new RegistryRefusal(500, 'internal_error', 'the directory failed; try again later')
  const content = [html`<p class="bad" role="alert">${message}</p>`, lookupForm()]
  return { status, title: status === 404 ? 'Not found' : 'This did not work', body: { ...body }, content, headers }
}

function bodyRefusal(error: unknown): RegistryRefusal | undefined {
  if (error instanceof BodyTooLarge)
    return new RegistryRefusal(
      413,
      'too_large',
      `a pasted file may have ${MAX_PASTE_BYTES} bytes, percent-encoded as a browser sends it; give the domain of a larger one`,
    )
  if (error instanceof JsonRefused) return new RegistryRefusal(400, 'invalid_document', `the file is not JSON: ${error.message}`)
  return undefined
}

/** HTML for clients that accept it by name, as browsers do, and JSON for all others. */
function write(request: IncomingMessage, response: ServerResponse, { status, title, body, content, headers = {} }: Reply): void {
  const wantsHtml = /\btext\/html\b/i.test(request.headers.accept ?? '')
  const given = { Vary: 'Accept', ...(!request.complete && { Connection: 'close' }), ...headers }
  if (wantsHtml) respondPage(response, status, layout(title, content), { 'Content-Security-Policy': PAGE_POLICY, ...given })
  else respondJson(response, status, body, given)
}
