/** Faults that no test notices, by their names, and why that is right. */
export const survivors: Record<string, string> = {};
