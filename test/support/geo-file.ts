/** What a database of places says of a network: an IPv4 address and its length, e.g. `198.51.100.0/24`. */
export type GeoEntries = Readonly<Record<string, { readonly country: string; readonly region?: string }>>

type Node = [Branch, Branch]
type Branch = Node | number | undefined

/** A database in MaxMind DB format 2.0 with records of 24 bits, for IPv4 alone. */
export function geoFile(entries: GeoEntries): Buffer {
  const root: Node = [undefined, undefined]
  const data: Buffer[] = []
  let dataLength = 0
  for (const [network, { country, region }] of Object.entries(entries)) {
    const record = encode({
      country: { iso_code: country },
      ...(region !== undefined && { subdivisions: [{ iso_code: region }] }),
    })
    insert(root, network, dataLength)
    data.push(record)
    dataLength += record.length
  }
  const nodes = numbered(root)
  const tree = Buffer.concat([...nodes.keys()].map((node) => Buffer.concat(node.map((branch) => recordOf(branch, nodes)))))
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test-City',
    description: { en: 'Made for a test' },
    ip_version: 4,
    languages: ['en'],
    node_count: nodes.size,
    record_size: 24,
  })
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata])
}

function insert(root: Node, network: string, at: number): void {
  const [address = '', length = '32'] = network.split('/')
  const bits = address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
    .slice(0, Number(length))
  let node = root
  for (const [index, bit] of [...bits].entries()) {
    const side = bit === '1' ? 1 : 0
    if (index === bits.length - 1) {
      node[side] = at
      return
    }
    const next = node[side]
    const inner: Node = Array.isArray(next) ? next : [undefined, undefined]
    node[side] = inner
    node = inner
  }
}

function numbered(root: Node): ReadonlyMap<Node, number> {
  const nodes = new Map<Node, number>([[root, 0]])
  for (const node of nodes.keys()) for (const branch of node) if (Array.isArray(branch)) nodes.set(branch, nodes.size)
  return nodes
}

/** A node by its number, no data as the number of nodes, data by its place behind them and sixteen bytes of zero. */
function recordOf(branch: Branch, nodes: ReadonlyMap<Node, number>): Buffer {
  const value = Array.isArray(branch) ? (nodes.get(branch) ?? 0) : branch === undefined ? nodes.size : nodes.size + 16 + branch
  const record = Buffer.alloc(3)
  record.writeUIntBE(value, 0, 3)
  return record
}

/** Data of the types map (7), array (11), UTF-8 string (2) and 32-bit number (6), each shorter than 29. */
function encode(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.of((2 << 5) | value.length), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([Buffer.of((6 << 5) | 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.of(value.length, 11 - 7), ...value.map(encode)])
  const members = Object.entries(value ?? {})
  return Buffer.concat([Buffer.of((7 << 5) | members.length), ...members.flatMap(([name, each]) => [encode(name), encode(each)])])
}
