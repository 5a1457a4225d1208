import { CONSOLE } from '../../src/console/route.ts'
import { ConsoleClient, PASSWORD } from '../../test/support/console-client.ts'
import { crawlConsole } from '../../test/support/console-crawl.ts'
import { formFields } from '../../test/support/console-form.ts'
import { consoleRouteTable } from '../../test/support/console-routes.ts'
import type { MeasuredAgent } from '../stalls/agent.ts'
import type { Exchange } from './exchange.ts'
import type { Target } from './exchange-door.ts'

/** Bytes of a form with a file, and without. */
const FILE_BYTES = 15_900_000
const FORM_BYTES = 64_000
/** What takes away what other cases need is asked for of something that does not exist. */
const TAKES_AWAY = /\/(end|remove|role|suspend|revoke|rotate|status|archive|confirm)$/
/** And the person of the bench stays signed in: these get a token of another session. */
const SIGNS_OUT = /\/(sign-out|again)$/

/** Where a person joins and works. */
type Console = Pick<MeasuredAgent, 'port' | 'invitation' | 'tenant'>

/** A page that was shown, or the form of a page. */
interface Shown {
  readonly path: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly hasFile: boolean
}

/** Every page and form of the console, from its route table: with ids and fields of the pages that a person sees, where one leads there. */
export async function consoleTargets(agent: Console): Promise<Target[]> {
  const person = await joinConsole(agent)
  const texts = await crawlConsole(
    person,
    [`${CONSOLE}/t/${agent.tenant}/home`, `${CONSOLE}/publishers`, `${CONSOLE}/account`],
    2,
  )
  const pages = [...texts.keys()].map((address): Shown => ({ path: pathOf(address), fields: [], hasFile: false }))
  const forms = [...texts.values()].flatMap(formsOf)
  const headers = { cookie: person.cookie ?? '', origin: person.origin }
  return consoleRouteTable().map(({ method, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)').replaceAll('.', '\\.')}$`)
    const shown = (method === 'GET' ? pages : forms).find((each) => pattern.test(each.path))
    const idOf = (part = 'x') => (method === 'POST' && TAKES_AWAY.test(path) ? 'x' : decodeURIComponent(part))
    const captured = pattern.exec(shown?.path ?? '')?.slice(1) ?? []
    const params = names.map((name, index) => [name, name === 'tenant' ? agent.tenant : idOf(captured[index])])
    const form = { csrf: SIGNS_OUT.test(path) ? 'x' : person.csrf, ...Object.fromEntries(shown?.fields ?? []) }
    const base: Exchange = {
      ...{ method, path: `${CONSOLE}${path}`, params: Object.fromEntries(params), query: {}, headers },
      ...(method === 'POST' && { form }),
    }
    const hasFile = shown?.hasFile ?? false
    return { title: `console ${method} ${path}`, base, bodyBytes: hasFile ? FILE_BYTES : FORM_BYTES, hasFile }
  })
}

/** A person who has joined by the agent's invitation, which one person can. */
export async function joinConsole({ port, invitation }: Pick<MeasuredAgent, 'port' | 'invitation'>): Promise<ConsoleClient> {
  const client = new ConsoleClient(`http://127.0.0.1:${port}`)
  const path = `${CONSOLE}/join/${invitation}`
  await client.get(path)
  const joined = await client.post(path, { username: 'stalls', name: 'Stalls', password: PASSWORD })
  if (joined.status !== 303) throw new Error(joined.text.slice(0, 500))
  await client.get(`${CONSOLE}/account`)
  return client
}

function formsOf(text: string): Shown[] {
  const forms = text.match(/<form [\s\S]*?<\/form>/g) ?? []
  return forms.flatMap((form) => {
    const action = /\saction="([^"]*)"/.exec(form)?.[1]
    if (action === undefined) return []
    return [
      {
        path: pathOf(action),
        fields: formFields(form, action.replaceAll('&amp;', '&')),
        hasFile: form.includes('multipart/form-data'),
      },
    ]
  })
}

/** The path below the console. */
function pathOf(address: string): string {
  return (address.replaceAll('&amp;', '&').split(/[?#]/, 1)[0] ?? '').slice(CONSOLE.length)
}
