import type { JsonWebKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { sellersPage } from '../compose/sellers-page.ts'
import { stdioKey } from '../config/config.ts'
import { checkDocument } from '../operator/seller-checks/check-document.ts'
import { type CheckOptions, checkSeller, type SellerReport } from '../operator/seller-checks/check-seller.ts'
import { reportKey, type SignedReport, signReport } from '../operator/seller-checks/sign-report.ts'
import { terminalText } from '../platform/terminal-text.ts'
import { VERSION } from '../platform/version.ts'
import { AdcpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'
import { playOfficialStories } from './official-stories.ts'
import { readNamedFile } from './read-named-file.ts'
import { wholeNumber } from './whole-number.ts'

interface VerifyOptions {
  readonly key: readonly string[]
  readonly brief: string
  readonly load: boolean
  readonly stories: string | boolean
  readonly seconds: number
  readonly out?: string
  readonly signWith?: string
  readonly json?: boolean
}

const MARK = { held: 'held        ', broken: 'BROKEN      ', 'not verified': 'not verified' } as const
/** Sellers of one report: each takes some minutes. */
const MOST_SELLERS = 10

/** `sales-agent verify-seller URL…`: exit code 1 when a seller broke a promise. */
export function verifySellerCommand(): Command {
  return new Command('verify-seller')
    .argument('<url...>', `MCP addresses of sellers, at most ${MOST_SELLERS}, side by side in one report`)
    .option('--key <key>', 'a buyer’s key, once for all or once for each address (default: SALES_AGENT_KEY)', collect, [])
    .option('--brief <text>', 'a question that the sellers should have products for', 'display and video advertising')
    .option('--no-load', 'leave the small load out')
    .option('--no-stories', 'leave the official storyboards out')
    .option('--stories <folder>', 'storyboards of another release, as the protocol publishes them (dist/compliance/<version>)')
    .option('--seconds <n>', 'no new storyboard begins after so many seconds', wholeNumber(10, 7200), 600)
    .option('--out <name>', 'write <name>.json, <name>.json.jws (its signature), <name>.key.json and <name>.html')
    .option('--sign-with <file>', 'sign with this private key (JWK with alg and kid); without it a key is made for the report')
    .option('--json', 'print the report as one JSON document')
    .addHelpText('after', '\nOrders are made on sandbox accounts alone, and cancelled.\n')
    .action(run)
}

async function run(urls: readonly string[], options: VerifyOptions): Promise<void> {
  const sellers = urls.map((url, index) => ({ url: addressOf(url), key: keyOf(index, urls.length, options.key) }))
  if (sellers.length > MOST_SELLERS) throw refused('url', `at most ${MOST_SELLERS} sellers at once`)
  const privateKey = options.signWith === undefined ? undefined : jwkIn(options.signWith)
  const startedAt = new Date()
  const reports: SellerReport[] = []
  for (const seller of sellers) {
    say(options, `\n${seller.url}`)
    reports.push(
      await checkSeller(seller, {
        brief: options.brief,
        load: options.load,
        playStories: storiesOf(options),
        clock: () => new Date(),
        report: ({ outcome, title, because }) =>
          say(options, `${MARK[outcome]}  ${title}${because === undefined ? '' : `\n              ${because}`}`),
      }),
    )
  }
  const making = { version: VERSION, brief: options.brief, startedAt, endedAt: new Date() }
  const document = checkDocument(making, reports)
  const signed = await signReport(document, reportKey(privateKey))
  if (options.out !== undefined) write(options.out, signed, sellersPage(document, signed))
  if (reports.some(({ counts }) => counts.broken > 0)) process.exitCode = 1
  if (options.json) console.log(signed.text.trimEnd())
  for (const { url, counts } of reports)
    say(options, `\n${url}: ${counts.held} held, ${counts.broken} broken, ${counts.not_verified} not verified`)
}

function storiesOf({ stories, seconds }: VerifyOptions): CheckOptions['playStories'] {
  if (stories === false) return undefined
  const folder = typeof stories === 'string' ? stories : undefined
  return ({ url, key }) => playOfficialStories(url, { key, folder, seconds })
}

function say({ json }: VerifyOptions, text: string): void {
  if (!json) console.log(terminalText(text))
}

function write(name: string, { text, signature, publicKey }: SignedReport, page: string): void {
  writeFileSync(`${name}.json`, text)
  writeFileSync(`${name}.json.jws`, `${signature}\n`)
  writeFileSync(`${name}.key.json`, `${JSON.stringify(publicKey)}\n`)
  writeFileSync(`${name}.html`, page)
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw refused('url', `${text} is not the address of an MCP endpoint, e.g. https://sales.example/mcp`)
  return url.href
}

/** One key for all, or one for each in their order. */
function keyOf(index: number, sellers: number, keys: readonly string[]): string | undefined {
  if (keys.length > 1 && keys.length !== sellers)
    throw refused('key', `there are ${keys.length} keys for ${sellers} sellers: name one for all, or one for each`)
  return keys.length > 1 ? keys[index] : (keys[0] ?? stdioKey())
}

function jwkIn(path: string): JsonWebKey {
  const jwk: unknown = JSON.parse(readNamedFile(path, 'sign-with').toString('utf8'))
  const members = isObject(jwk) ? jwk : {}
  if (['d', 'kid', 'alg', 'kty'].some((name) => typeof members[name] !== 'string'))
    throw refused('sign-with', `${path} is no private JWK with kty, d, kid and alg`)
  return members
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function refused(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field })
}
