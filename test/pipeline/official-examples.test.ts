import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { findCredential } from '../../src/pipeline/credential-scan.ts'
import { declaresField } from '../../src/pipeline/declared-fields.ts'
import { sdkRelease } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { RELEASES } from '../../src/protocol/releases.ts'

const COMPLIANCE = 'node_modules/@adcp/sdk/compliance'
const contracts = loadContracts(RELEASES)

function filesOf(folder: string, ending: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name))
}

interface Asked {
  readonly task: string
  readonly request: object
  readonly where: string
}

/** Steps of stories: the request of a task, anywhere in a document. */
function requestsIn(value: unknown, where: string): readonly Asked[] {
  if (typeof value !== 'object' || value === null) return []
  const { task, sample_request: request }: { task?: unknown; sample_request?: unknown } = { ...value }
  const below = Object.values(value).flatMap((child) => requestsIn(child, where))
  return typeof task === 'string' && typeof request === 'object' && request !== null
    ? [{ task, request, where }, ...below]
    : below
}

const isFound = ({ task, request }: Asked) => {
  const isDeclared = (path: readonly string[]) => contracts.having(task).some(({ schemas }) => declaresField(schemas, task, path))
  return findCredential(request, { isDeclared, secrets: [] }) !== undefined
}

it('no request of an official or own story is refused for a credential, but those that are to be', () => {
  const asked = [...filesOf(COMPLIANCE, '.yaml'), ...filesOf('storyboards', '.yaml')].flatMap((file) =>
    requestsIn(parse(readFileSync(file, 'utf8')), file),
  )
  expect(asked.length).toBeGreaterThan(300)
  // The story of what is refused.
  const refused = asked.filter((each) => isFound(each) && !each.where.endsWith('credential-placement.yaml'))
  expect(refused.map(({ task, where, request }) => [task, where, JSON.stringify(request).slice(0, 2_000)])).toEqual([])
})

/** Some examples are described: `{ description, data }`. */
function dataOf(example: object): object {
  const { data }: { data?: unknown } = { ...example }
  return typeof data === 'object' && data !== null ? data : example
}

/** The task of the file of a request schema: `media-buy/get-products-request.json`. */
const taskOf = (file: string) => /([\w-]+)-request\.json$/.exec(file)?.[1]?.replaceAll('-', '_')

it('no example of an official request schema is refused, in any release', () => {
  // Whether or not the build has written the schemas of 3.0 anew: those of the package, bundled ones too.
  const folders = RELEASES.map(({ line, folder }) => (line === '3.0' ? sdkRelease().folder : folder))
  const asked = folders.flatMap((folder) =>
    filesOf(folder, '-request.json').flatMap((file) => {
      const { examples = [] }: { examples?: readonly object[] } = JSON.parse(readFileSync(file, 'utf8'))
      return examples.map((example) => ({
        task: taskOf(file) ?? '',
        request: dataOf(example),
        where: file,
      }))
    }),
  )
  expect(asked.length).toBeGreaterThan(40)
  expect(asked.filter(isFound).map(({ where, request }) => [where, request])).toEqual([])
})

/** Tags as ad servers give them out: macros, tokens of their own, signed addresses and scripts. */
const TAGS: readonly ((n: number) => string)[] = [
  (n) =>
    `<script src="https://ad.vendor${n}.example/ddm/adj/N${n}.1/B${n}.2;sz=300x250;ord=[timestamp];dc_lat=;dc_rdid=;tag_for_child_directed_treatment=?"></script>`,
  (n) =>
    `<iframe src="https://cdn.vendor.example/tag?token=a${n}bc81bdead4e5dabff90865d1e13b1&auth=%%CLICK_URL_ESC%%&cb=${n}"></iframe>`,
  (n) => `https://vast.vendor.example/v?api_key=k${n}d81bc81bdead4e5dab&secret=${n}x90865d1e13b1dead4e5&u={CLICK_URL}`,
  (n) =>
    `<script>fetch("https://api.vendor.example/${n}",{headers:{"Authorization":"Bearer pk${n}live0865d1e13b1dead4"}})</script>`,
  (n) => `<script>var cfg={"client_key":"c${n}","token":"t${n}","session_key":null};window.vendor.push(cfg)</script>`,
  (n) => JSON.stringify({ assets: [{ id: n, token: `x${n}` }], api_key: 'public' }),
  (n) =>
    `<VAST version="4.2"><Ad><Wrapper><VASTAdTagURI><![CDATA[https://v.example/t?access_token=z${n}90865d1e13b1dead&e=a@b.example]]></VASTAdTagURI></Wrapper></Ad></VAST>`,
  (n) => `<img src="https://px.example/p?auth_key=${n}90865d1e13b1dead4e5dab&gdpr=\${GDPR}" alt="">`,
]

it('no tag of a vendor is refused in a creative: a thousand, as markup, script, VAST and addresses', () => {
  for (let n = 0; n < 1_000; n++) {
    const text = TAGS[n % TAGS.length]?.(n) ?? ''
    const asset = text.startsWith('https:')
      ? { asset_type: 'url', url: text }
      : { asset_type: n % 3 === 0 ? 'javascript' : 'html', content: text }
    const request = {
      creatives: [
        { creative_id: 'c', assets: { tag: asset, vast: { asset_type: 'vast', delivery_type: 'inline', content: text } } },
      ],
    }
    expect(isFound({ task: 'sync_creatives', request, where: '' }), text).toBe(false)
    // The same elsewhere is a credential, where it says so.
    if (text.startsWith('https:'))
      expect(isFound({ task: 'sync_creatives', request: { context: { text } }, where: '' })).toBe(true)
  }
})
