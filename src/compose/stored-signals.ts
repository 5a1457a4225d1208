import { createImportedSignals } from '../features/signals/imported-signals.ts'
import type { SignalSource } from '../features/signals/signal-source.ts'
import type { Store } from '../store/database.ts'
import { loadSignals, signalsRevision } from '../store/signal/signals.ts'

/** Signals as the publisher imported them. */
export function storedSignals(store: Store): SignalSource {
  return createImportedSignals({
    revision: (tenantId) => signalsRevision(store.read, tenantId),
    load: (tenantId) => loadSignals(store.read, tenantId),
  })
}
