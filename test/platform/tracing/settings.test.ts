import { describe, expect, it } from 'vitest'
import { startTracing } from '../../../src/compose/tracing.ts'
import { ConfigError } from '../../../src/config/config-error.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { redactedConfig } from '../../../src/config/redacted-config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'

const schemas = new Schemas()
const tracingOf = (environment: Record<string, string>) => loadConfig(schemas, { environment }).tracing
const problemsOf = (environment: Record<string, string>) => {
  try {
    loadConfig(schemas, { environment })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
  }
  return []
}
const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

describe('settings of tracing', () => {
  it('name no collector by themselves, and variables without an endpoint are nobody’s business', () => {
    expect(tracingOf({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER_ARG: 'half' })).toEqual({
      headers: [],
      serviceName: 'adcp-sales-agent',
      sampleRatio: 1,
    })
  })

  it('come from the variables of OpenTelemetry', () => {
    const more = {
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc,x-team=ads%20ops',
      OTEL_SERVICE_NAME: 'ads',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }
    expect(tracingOf({ ...BASE, ...more })).toEqual({
      endpoint: 'http://collector:4318/v1/traces',
      headers: ['api-key=abc', 'x-team=ads%20ops'],
      serviceName: 'ads',
      sampleRatio: 0.25,
    })
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in', OTEL_TRACES_SAMPLER: 'always_off' }
    expect(tracingOf({ ...BASE, ...more, ...own })).toMatchObject({ endpoint: 'https://traces.example/in', sampleRatio: 0 })
  })

  it('of our own variables win, and an endpoint of ours is one', () => {
    const own = { SALES_AGENT_TRACING_ENDPOINT: 'http://other:4318/v1/traces', SALES_AGENT_TRACING_SAMPLE_RATIO: '0.5' }
    const both = tracingOf({ OTEL_TRACES_SAMPLER_ARG: '0.1', OTEL_SERVICE_NAME: 'ads', ...own })
    expect(both).toMatchObject({ endpoint: 'http://other:4318/v1/traces', sampleRatio: 0.5, serviceName: 'ads' })
  })

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }, { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }])(
    'are off with %j',
    (off) => {
      expect(tracingOf({ ...BASE, ...off })).not.toHaveProperty('endpoint')
    },
  )

  it.each([
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'tracing.endpoint'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://collector:4317' }, 'OTEL_EXPORTER_OTLP_ENDPOINT', 'tracing.endpoint'],
    [{ SALES_AGENT_TRACING_ENDPOINT: 'http://me:pw@collector/' }, 'SALES_AGENT_TRACING_ENDPOINT', 'tracing.endpoint'],
    [{ ...BASE, OTEL_TRACES_SAMPLER_ARG: 'half' }, 'OTEL_TRACES_SAMPLER_ARG', 'tracing.sampleRatio'],
    [{ ...BASE, OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG', 'tracing.sampleRatio'],
    [{ ...BASE, OTEL_EXPORTER_OTLP_HEADERS: 'no-value' }, 'OTEL_EXPORTER_OTLP_HEADERS', 'tracing.headers[0]'],
  ])('%j is refused by name', (environment, source, key) => {
    expect(problemsOf(environment)).toContainEqual(expect.objectContaining({ source, key }))
  })

  it('are shown without what the collector asks for', () => {
    const config = loadConfig(schemas, { environment: { ...BASE, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc' } })
    expect(redactedConfig(config).tracing).toMatchObject({ headers: ['api-key=…'] })
  })

  it.each([
    [{ endpoint: 'http://collector:99999/' }, 'tracing.endpoint'],
    [{ headers: ['x=%0A'] }, 'tracing.headers'],
    [{ headers: ['x=%FF'] }, 'tracing.headers'],
  ])('%j does not start', async (wrong, field) => {
    const settings = { endpoint: 'http://collector/', headers: [], serviceName: 'x', sampleRatio: 1, ...wrong }
    const start = startTracing({ tracing: settings }, createLog('silent'))
    await expect(start).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR', field })
  })
})
