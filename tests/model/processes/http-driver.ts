import { createInventor, newMark } from '../../../conformance/fixtures.ts';
import { httpHands as handsOn } from '../../../conformance/journeys/http-driver.ts';
import { createStage, type Stage } from '../../../conformance/journeys/preconditions.ts';
import { createWorld } from '../../../conformance/world.ts';
import type { Hands, Route } from '../../../model/driver.ts';

const stages = new Map<string, Stage>();

/** The app's own client and machines before a running backend, as the conformance kit has them. */
export async function httpHands(address: string, start: Route): Promise<Hands> {
  const stage =
    stages.get(address) ?? createStage(createWorld(address, createInventor(1, newMark())));
  stages.set(address, stage);
  return handsOn(stage, start);
}
