import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load-config.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { clientAddress } from '../../src/platform/net/client-address.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

describe('Dockerfile', () => {
  const text = read('Dockerfile')
  const dockerfile = DockerfileParser.parse(text)

  it('has no findings of the linter', () => {
    expect(validate(text)).toEqual([])
  })

  it('ends as an unprivileged user, with a health check and the command of the agent', () => {
    const instructions = dockerfile.getInstructions().map((each) => [each.getKeyword(), each.getArgumentsContent()] as const)
    const last = (keyword: string) => instructions.filter(([each]) => each === keyword).at(-1)?.[1]
    expect(last('USER')).toBe('node')
    expect(last('HEALTHCHECK')).toContain('/livez')
    expect(last('ENTRYPOINT')).toBe('["node", "dist/cli/sales-agent.js"]')
    expect(instructions.filter(([keyword]) => keyword === 'FROM')).toHaveLength(2)
    // Not only `serve`: `docker run … keys list` as well.
    expect(last('ENV')).toContain('SALES_AGENT_DATA=/data')
    expect(last('VOLUME')).toBe('/data')
  })

  it('leaves an image with neither shell nor package manager, which writes to its volume alone', () => {
    const stages = dockerfile.getFROMs().map((from) => from.getImage())
    expect(stages.at(-1)).toBe('scratch')
    expect(text).toContain('npm prune --omit=dev --omit=optional')
  })

  it('copies only what is there, and everything that the program reads', () => {
    const copied = dockerfile.getInstructions().flatMap((each) => {
      const sources = each
        .getArguments()
        .map((argument) => argument.getValue())
        .slice(0, -1)
      // An absolute source comes from the stage before.
      return each.getKeyword() === 'COPY' ? sources.filter((path) => !path.startsWith('/')) : []
    })
    for (const path of copied) expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true)
    expect(copied).toEqual(
      expect.arrayContaining(['package.json', 'package-lock.json', '.npmrc', 'packages', 'schemas', 'src', 'demo']),
    )
  })
})

describe('compose file', () => {
  const file = parse(read('compose.yaml'), { merge: true })
  const agents = ['agent-1', 'agent-2']

  it('starts two agents on one database after one migration, behind a balancer', () => {
    expect(file.services.postgres.healthcheck).toBeDefined()
    expect(file.services.migrate.command).toEqual(['migrate'])
    for (const name of agents) {
      expect(file.services[name]).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] })
      expect(file.services[name].depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } })
      expect(read('balancer.conf')).toContain(`server ${name}:3000`)
      expect(read('prometheus.yaml')).toContain(`${name}:9464`)
    }
  })

  it('every dependency, network, volume and mounted file exists', () => {
    const names = Object.keys(file.services)
    for (const service of Object.values<Record<string, unknown>>(file.services)) {
      const needs = service.depends_on ?? []
      expect(names).toEqual(expect.arrayContaining(Array.isArray(needs) ? needs : Object.keys(needs)))
      expect(Object.keys(file.networks)).toEqual(expect.arrayContaining([service.networks].flat()))
      for (const mount of [service.volumes ?? []].flat()) {
        const source = String(mount).split(':')[0] ?? ''
        if (source.startsWith('.')) expect(existsSync(new URL(`../../deploy/${source}`, import.meta.url)), source).toBe(true)
        else expect(Object.keys(file.volumes)).toContain(source)
      }
    }
  })

  it('lets the agents see callers apart behind the balancer and what ends TLS before it', () => {
    const [{ subnet }] = file.networks.agents.ipam.config
    expect(file.services['agent-1'].environment.SALES_AGENT_TRUSTED_PROXIES).toBe(subnet)
    expect(read('balancer.conf')).toContain('proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;')
    // What that variable holds: the header that came, and the address it came from.
    const [gateway, balancer] = [subnet.replace('.0/24', '.1'), subnet.replace('.0/24', '.7')]
    expect(clientAddress(balancer, `6.6.6.6, 203.0.113.9, ${gateway}`, [subnet])).toBe('203.0.113.9')
  })

  it('gives the agents settings that they accept, and no secret of its own', () => {
    const given: Record<string, string> = file.services['agent-1'].environment
    const environment = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value.replace(/\$\{PUBLIC_URL[^}]*\}/, 'https://ads.example.com').replace(/\$\{[A-Z_]+:-\}/, ''),
      ]),
    )
    environment.SALES_AGENT_DATABASE = environment.SALES_AGENT_DATABASE?.replace(/\$\{[^}]*\}/, 'secret') ?? ''
    const config = loadConfig(new Schemas(), { environment, flags: { data: '/data', host: '0.0.0.0' } })
    expect(config.mode).toBe('production')
    expect(config.metrics.port).toBe(9464)
    expect(config.tracing.endpoint).toBeUndefined()
    const traced = { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
    expect(Object.keys(given)).toContain('OTEL_EXPORTER_OTLP_ENDPOINT')
    expect(loadConfig(new Schemas(), { environment: traced }).tracing.endpoint).toBe('http://collector:4318/v1/traces')
    for (const name of ['SALES_AGENT_SECRET', 'SALES_AGENT_DATABASE']) expect(given[name]).toMatch(/\$\{[A-Z_]+:\?/)
  })
})

describe('compose file with Kafka and Valkey', () => {
  const file = parse(read('compose.fleet.yaml'), { merge: true })
  const base = parse(read('compose.yaml'), { merge: true })

  it('gives agents and counters the same settings, which they accept', () => {
    const names = ['agent-1', 'agent-2', 'counter-1', 'counter-2']
    const found = names.map((name) => {
      const {
        SALES_AGENT_DATABASE: _,
        SALES_AGENT_PUBLIC_URL: __,
        SALES_AGENT_SECRET: ___,
        ...environment
      } = file.services[name].environment
      return loadConfig(new Schemas(), { environment, flags: {} }).ads
    })
    for (const ads of found)
      expect(ads).toMatchObject({
        ...{ events: 'kafka', kafka: { brokers: ['kafka:9092'], replicas: 1 } },
        ...{ counters: 'valkey', valkey: { servers: ['valkey:6379'] } },
      })
    for (const name of ['counter-1', 'counter-2']) {
      expect(file.services[name].command.slice(0, 3)).toEqual(['serve', '--only', 'events'])
      expect(file.services[name].environment).toMatchObject({
        SALES_AGENT_DATABASE: base.services['agent-1'].environment.SALES_AGENT_DATABASE,
        SALES_AGENT_SECRET: base.services['agent-1'].environment.SALES_AGENT_SECRET,
      })
    }
  })

  it('builds an image with the clients that were tried, and waits for what is there', () => {
    const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const clients = ['@platformatic/kafka', 'iovalkey'].map((name) => `${name}@${devDependencies[name]}`).join(' ')
    const all = { ...base.services, ...file.services }
    for (const name of ['agent-1', 'agent-2', 'counter-1', 'counter-2']) {
      expect(file.services[name].build.args.CLIENTS).toBe(clients)
      for (const [need, { condition }] of Object.entries<{ condition: string }>(file.services[name].depends_on)) {
        expect(Object.keys(all)).toContain(need)
        if (condition === 'service_healthy') expect(all[need].healthcheck, need).toBeDefined()
      }
    }
    expect(read('Dockerfile')).toContain('ARG CLIENTS=""')
  })
})

describe('systemd unit', () => {
  const unit = read('adcp-sales-agent.service')
  const settings = Object.fromEntries(
    unit
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

  it('runs the agent as a user of its own that writes to its data folder alone', () => {
    expect(settings).toMatchObject({
      ExecStart: '/usr/bin/env sales-agent serve',
      User: 'adcp-sales-agent',
      StateDirectory: 'adcp-sales-agent',
      ProtectSystem: 'strict',
      NoNewPrivileges: 'yes',
      CapabilityBoundingSet: '',
    })
    expect(settings.Environment).toContain(`SALES_AGENT_DATA=/var/lib/${settings.StateDirectory}`)
  })

  it('waits longer for its end than calls may run', () => {
    const { drainSeconds } = loadConfig(new Schemas(), { environment: {} })
    expect(Number(settings.TimeoutStopSec)).toBeGreaterThan(drainSeconds + 5)
  })

  const analyze = '/usr/bin/systemd-analyze'
  it.skipIf(!existsSync(analyze))('has no findings of systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'))
    const file = join(folder, 'adcp-sales-agent.service')
    writeFileSync(file, unit.replaceAll('/usr/bin/env sales-agent', '/bin/true'))
    const { stderr } = spawnSync(analyze, ['verify', file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    // It may tell of other units of the machine.
    expect(stderr.split('\n').filter((line) => line.includes('adcp-sales-agent.service'))).toEqual([])
  })
})

it('the board asks for numbers that the agent has', async () => {
  const none = { outboxPending: 0, outboxDead: 0, outboxOldestSeconds: 0, approvalsWaiting: 0, auditUnsealed: 0 }
  const backlog = async () => ({ ...none, crawlDue: 0, crawlOverdueSeconds: 0 })
  const { body } = await createMetrics({
    backlog,
    pools: () => [],
    spool: async () => ({ bytes: 0, waiting: 0, setAside: 0 }),
  }).scrape()
  const board = JSON.parse(read('grafana/sales-agent.json'))
  const asked = board.panels.flatMap((panel: { targets: { expr: string }[] }) =>
    panel.targets.flatMap(({ expr }) => expr.match(/adcp_[a-z0-9_]+/g) ?? []),
  )
  expect(asked.length).toBeGreaterThan(10)
  for (const name of new Set<string>(asked)) expect(body, name).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `)
})

it('every configuration file is one', () => {
  for (const name of ['prometheus.yaml', 'grafana/datasource.yaml', 'grafana/dashboards.yaml'])
    expect(parse(read(name))).toBeTypeOf('object')
  expect(readdirSync(new URL('../../deploy', import.meta.url))).toContain('balancer.conf')
})
