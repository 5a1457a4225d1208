/** A variable of OpenTelemetry: the one of ours that it represents, its own name, and its text. */
export interface TracingVariable {
  readonly own: Own
  readonly name: string
  readonly text: string
}

type Own = `SALES_AGENT_TRACING_${'ENDPOINT' | 'HEADERS' | 'SERVICE_NAME' | 'SAMPLE_RATIO'}`

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What the standard variables of OpenTelemetry say about traces (OpenTelemetry: SDK environment variables, OTLP exporter). None when no
 * endpoint is known, neither to them nor otherwise (`hasEndpoint`), or when they switch the SDK or its traces off; an empty variable
 * counts as none.
 */
export function tracingVariables(environment: Environment, hasEndpoint: boolean): readonly TracingVariable[] {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none') return []
  const endpoint = endpointIn(environment)
  if (!endpoint && !hasEndpoint) return []
  return [
    ...(endpoint ? [endpoint] : []),
    ...firstOf(environment, 'SALES_AGENT_TRACING_HEADERS', ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS']),
    ...firstOf(environment, 'SALES_AGENT_TRACING_SERVICE_NAME', ['OTEL_SERVICE_NAME']),
    ...samplingIn(environment),
  ]
}

/** The endpoint for traces is taken as it is; the one for every signal is a base that the signal's path is put to. */
function endpointIn(environment: Environment): TracingVariable | undefined {
  const [own] = firstOf(environment, 'SALES_AGENT_TRACING_ENDPOINT', ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
  if (own) return own
  const [base] = firstOf(environment, 'SALES_AGENT_TRACING_ENDPOINT', ['OTEL_EXPORTER_OTLP_ENDPOINT'])
  return base && { ...base, text: `${base.text.replace(/\/$/, '')}/v1/traces` }
}

/** Samplers that are no ratio are the ratios at its ends. */
function samplingIn(environment: Environment): readonly TracingVariable[] {
  const sampler = environment.OTEL_TRACES_SAMPLER ?? ''
  const fixed = sampler.endsWith('always_on') ? '1' : sampler.endsWith('always_off') ? '0' : undefined
  if (fixed !== undefined) return [{ own: 'SALES_AGENT_TRACING_SAMPLE_RATIO', name: 'OTEL_TRACES_SAMPLER', text: fixed }]
  return firstOf(environment, 'SALES_AGENT_TRACING_SAMPLE_RATIO', ['OTEL_TRACES_SAMPLER_ARG'])
}

function firstOf(environment: Environment, own: Own, names: readonly string[]): readonly TracingVariable[] {
  for (const name of names) {
    const text = environment[name]?.trim()
    if (text) return [{ own, name, text }]
  }
  return []
}
